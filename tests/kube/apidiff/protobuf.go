package main

import (
	"bytes"

	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

const protobufType = "application/vnd.kubernetes.protobuf"

// toProtobuf encodes a JSON body as typed clients do by default. It fails where the body is no valid object of a
// built-in kind; then the call goes out as JSON.
func toProtobuf(data []byte, wanted bool) ([]byte, bool) {
	if !wanted {
		return nil, false
	}
	typed, _, err := scheme.Codecs.UniversalDeserializer().Decode(data, nil, nil)
	if err != nil {
		return nil, false
	}
	var out bytes.Buffer
	serializer := protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)
	if err := serializer.Encode(typed, &out); err != nil {
		return nil, false
	}
	return out.Bytes(), true
}
