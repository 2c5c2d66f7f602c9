# Leaves nothing behind that is not in the namespaces of the test.
# needs: 10-objects 20-generators

step "clean up"
k delete priorityclass "high-$$"
k delete namespace "$namespace" "$namespace-two" --wait=false
