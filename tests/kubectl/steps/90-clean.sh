# Leaves nothing behind that is not in the namespaces of the test.

step "clean up"
k delete priorityclass "high-$$"
k delete namespace "$namespace" "$namespace-two" --wait=false
