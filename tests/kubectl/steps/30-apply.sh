# Server-side apply, diff and dry runs.
# needs: 10-objects

ssa_file="$(file ssa.yaml <<YAML
apiVersion: v1
kind: ConfigMap
metadata: {name: shared}
data: {a: "1", b: "2"}
YAML
)"

step "apply --server-side creates and records its manager"
k apply --server-side -f "$ssa_file" --field-manager=alice
expect_exactly "configmap/shared serverside-applied"
k get configmap shared -o yaml --show-managed-fields
expect "manager: alice"
expect "operation: Apply"

step "another manager's opinion is a conflict"
sed 's/a: "1"/a: "9"/' "$ssa_file" >"$work/ssa2.yaml"
refused apply --server-side -f "$work/ssa2.yaml" --field-manager=bob
expect "conflict"
expect '.data.a'
expect_value configmap/shared '{.data.a}' 1

step "--force-conflicts takes it over"
k apply --server-side -f "$work/ssa2.yaml" --field-manager=bob --force-conflicts
expect_value configmap/shared '{.data.a}' 9

step "a field that its only manager gives up disappears"
cat >"$work/ssa3.yaml" <<YAML
{apiVersion: v1, kind: ConfigMap, metadata: {name: shared}, data: {a: "9"}}
YAML
k apply --server-side -f "$work/ssa3.yaml" --field-manager=bob
expect_value configmap/shared '{.data.b}' 2
k apply --server-side -f "$work/ssa3.yaml" --field-manager=alice --force-conflicts
expect_value configmap/shared '{.data.b}' ""

step "diff shows what would change and changes nothing"
refused diff -f "$ssa_file"
expect_line '^-  a: "9"$'
expect_line '^\+  a: "1"$'
expect_value configmap/shared '{.data.a}' 9
k apply -f "$ssa_file" --server-side --force-conflicts
k diff -f "$ssa_file" --server-side --force-conflicts
expect_exactly ""

step "--dry-run=server validates and defaults, and stores nothing"
k run ghost --image=nginx --dry-run=server -o yaml
expect "terminationGracePeriodSeconds: 30"
refused get pod ghost
k apply -f "$pod_file" --dry-run=server
expect "(server dry run)"
k delete pod web --dry-run=server
expect "(server dry run)"
k get pod web
refused run 'Bad_Name' --image=nginx --dry-run=server
expect "Invalid value"

step "--dry-run=client prints without a server"
k create deployment dry --image=nginx --dry-run=client -o yaml
expect "kind: Deployment"
