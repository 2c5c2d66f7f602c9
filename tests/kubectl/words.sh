# The words in which the kubectl steps are written; sourced by run.
#
#   step "a label changes"          starts a step
#   k label pod a x=y               runs kubectl in the namespace of the test; a failure fails the step
#   refused label pod a '!'=y       runs kubectl, which must fail
#   expect "pod/a labeled"          the output (both streams) contains this text
#   expect_line '^a +1/1'           a line of the output matches this regular expression
#   expect_not "error"              the output does not contain this text
#   expect_value pod/a '{.spec.x}' 5    the object at the server has this value
#   eventually "text" COMMAND…      the command prints this text within a bound
#   watching get pods -w            runs kubectl in the background; its output grows in $watched
#   arrives "text"                  a line like this appears in the output of the background command within a bound
#   finishes                        the background command ends well within a bound

steps=0 failures=0 failed_here="" current="" output="" watch_pid=""
watched="$work/watched"
patience=20 # seconds until something must have happened
limit=45    # seconds that one kubectl may run; status 124 says that it was cut off

step() {
  finish_step
  current="$1"
  failed_here=""
  steps=$((steps + 1))
}

finish_step() {
  [[ -n $current ]] || return 0
  if [[ -n $failed_here ]]; then
    failures=$((failures + 1))
  else
    echo "ok    $current"
  fi
  current=""
}

fail() {
  [[ -n $failed_here ]] || echo "FAIL  $current"
  failed_here=yes
  printf '%s\n' "$@" | sed 's/^/      /'
}

# kubectl with its output kept; its status is returned.
raw_kubectl() {
  last="kubectl $*"
  local status=0
  output="$(timeout "$limit" "$programs/kubectl" --namespace "$namespace" "$@" 2>&1)" || status=$?
  return "$status"
}

k() {
  local status=0
  raw_kubectl "$@" || status=$?
  ((status == 0)) || fail "$last" "exit status $status:" "$output"
}

refused() { if raw_kubectl "$@"; then fail "$last" "should have failed, but said:" "$output"; fi; }

expect() {
  [[ $output == *"$1"* ]] || fail "$last" "expected text: $1" "but it said:" "$output"
}

expect_not() {
  [[ $output != *"$1"* ]] || fail "$last" "text that should not be there: $1" "it said:" "$output"
}

expect_line() {
  grep -Eq -- "$1" <<<"$output" || fail "$last" "expected a line like: $1" "but it said:" "$output"
}

# expect_exactly TEXT: the whole output; a difference is shown as such.
expect_exactly() {
  [[ $output == "$1" ]] || fail "$last" "$(diff -u --label expected --label got <(echo "$1") <(echo "$output"))"
}

expect_value() {
  k get "$1" -o "jsonpath=$2"
  expect_exactly "$3"
}

eventually() {
  local text=$1 deadline=$((SECONDS + patience))
  shift
  until raw_kubectl "$@" && [[ $output == *"$text"* ]]; do
    if ((SECONDS >= deadline)); then
      fail "$last" "expected within $patience s: $text" "but it said:" "$output"
      return 0
    fi
    sleep 0.05
  done
}

# gone RESOURCE: it is deleted within the bound.
gone() {
  local deadline=$((SECONDS + patience))
  while raw_kubectl get "$1"; do
    if ((SECONDS >= deadline)); then
      fail "$1 is still there after $patience s:" "$output"
      return 0
    fi
    sleep 0.05
  done
  expect "NotFound"
}

watching() {
  stop_watching
  : >"$watched"
  last="kubectl $*"
  "$programs/kubectl" --namespace "$namespace" "$@" >"$watched" 2>&1 &
  watch_pid=$!
}

arrives() {
  local deadline=$((SECONDS + patience))
  until grep -Eq -- "$1" "$watched"; do
    if ((SECONDS >= deadline)); then
      fail "$last" "expected within $patience s a line like: $1" "but it said:" "$(<"$watched")"
      return 0
    fi
    sleep 0.05
  done
}

finishes() {
  local deadline=$((SECONDS + patience)) status=0
  while kill -0 "$watch_pid" 2>/dev/null; do
    ((SECONDS < deadline)) || { fail "$last" "has not ended after $patience s:" "$(<"$watched")"; break; }
    sleep 0.05
  done
  kill "$watch_pid" 2>/dev/null || true
  wait "$watch_pid" || status=$?
  watch_pid=""
  ((status == 0)) || fail "$last" "(in the background) exit status $status:" "$(<"$watched")"
}

stop_watching() {
  [[ -n ${watch_pid:-} ]] || return 0
  kill "$watch_pid" 2>/dev/null || true
  wait "$watch_pid" 2>/dev/null || true
  watch_pid=""
}

# file NAME: keeps standard input as a file of the test and prints its path.
file() {
  cat >"$work/$1"
  echo "$work/$1"
}

summary() {
  finish_step
  echo "kubectl: $steps steps, $failures failed"
  ((failures == 0))
}
