package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// object is a JSON object; numbers are json.Number so that 1 and 1.0 stay different.
type object = map[string]any

// parse reads a JSON literal of this program; the text may hold %s and the like.
func parse(format string, arguments ...any) object {
	text := fmt.Sprintf(format, arguments...)
	value, err := decode([]byte(text))
	if err != nil {
		panic(fmt.Sprintf("literal %s: %v", text, err))
	}
	return value.(object)
}

func decode(data []byte) (any, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return nil, err
	}
	return value, nil
}

func encode(value any) []byte {
	data, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return data
}

func clone(value any) any {
	switch v := value.(type) {
	case object:
		out := make(object, len(v))
		for key, item := range v {
			out[key] = clone(item)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, item := range v {
			out[i] = clone(item)
		}
		return out
	}
	return value
}

// at follows a dotted path; numbers index arrays. nil when something is missing on the way.
func at(value any, path string) any {
	for _, part := range strings.Split(path, ".") {
		switch v := value.(type) {
		case object:
			value = v[part]
		case []any:
			index, err := strconv.Atoi(part)
			if err != nil || index >= len(v) {
				return nil
			}
			value = v[index]
		default:
			return nil
		}
	}
	return value
}

func text(value any, path string) string {
	found, _ := at(value, path).(string)
	return found
}

// put sets the value at a dotted path and makes objects, and lists of one, on the way; it gives up silently where the path does not fit,
// which changes a body in the same way for both servers.
func put(root object, path string, value any) {
	parts := strings.Split(path, ".")
	var here any = root
	for i, part := range parts {
		last := i == len(parts)-1
		switch v := here.(type) {
		case object:
			if last {
				v[part] = value
				return
			}
			if v[part] == nil {
				v[part] = object{}
				if parts[i+1] == "0" {
					v[part] = []any{object{}}
				}
			}
			here = v[part]
		case []any:
			index, err := strconv.Atoi(part)
			if err != nil || index >= len(v) {
				return
			}
			if last {
				v[index] = value
				return
			}
			here = v[index]
		default:
			return
		}
	}
}

// drop removes the member at a dotted path.
func drop(root object, path string) {
	cut := strings.LastIndex(path, ".")
	if cut < 0 {
		delete(root, path)
		return
	}
	if parent, ok := at(root, path[:cut]).(object); ok {
		delete(parent, path[cut+1:])
	}
}
