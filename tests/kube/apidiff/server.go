package main

import (
	"bytes"
	"context"
	"io"
	"math/rand"
	"net/http"
	"net/url"
	"strings"
	"time"

	"basalt.test/kube/kubeconf"
)

// maxAnswer bounds one answer; more is cut and then differs.
const maxAnswer = 64 << 20

// call is one request for both servers. What differs between servers (uids, revisions, tokens) is filled in by
// functions that look into the memory of the server; chance inside them comes from the seed of the call.
type call struct {
	verb, kind  string // for the summary
	key         string // the object it is about: "pods/ns/name"; "" for collections
	method      string
	path        string
	query       url.Values
	fill        func(m *memory, q url.Values)     // adds server specific parameters
	body        func(m *memory, r *rand.Rand) any // nil: no body
	raw         []byte                            // a body that is no JSON; instead of body
	contentType string
	accept      string
	anonymous   bool
	document    bool // the answer is JSON, whatever it calls itself
	protobuf    bool // the body is sent as protobuf where it can be
	generated   bool // a create with generateName: the answer's name gets an alias
	seed        int64
	after       func(a, b *server) // settles what controllers do later, and waits for it
	warm        bool               // a read that may be stale: a consistent read comes first
	note        string             // what this call wants to try, for readers
}

// answer is what came back.
type answer struct {
	code     int
	media    string
	warnings []string
	value    any    // decoded JSON, nil when it is none
	plain    string // the beginning of a body that is no JSON
	err      error
	request  string // as sent
	relation string // how the revision of the object relates to what was known: same, newer, older, absent
}

// server is one of the two sides.
type server struct {
	label  string
	conf   *kubeconf.Server
	client *http.Client
	nobody *http.Client // without credentials
	memory *memory
	kinds  []*kind
}

func connect(label, path string) (*server, error) {
	conf, err := kubeconf.Load(path)
	if err != nil {
		return nil, err
	}
	return &server{label: label, conf: conf, client: conf.Client(4), nobody: conf.Anonymous().Client(1), memory: newMemory()}, nil
}

// send makes one request; it never fails by itself: a broken connection is an answer with err.
func (s *server) send(c *call) *answer {
	query := url.Values{}
	for key, values := range c.query {
		query[key] = values
	}
	if c.fill != nil {
		c.fill(s.memory, query)
	}
	var body []byte
	if c.raw != nil {
		body = c.raw
	} else if c.body != nil {
		body = encode(c.body(s.memory, rand.New(rand.NewSource(c.seed))))
	}
	target := s.memory.names.resolve(c.path)
	if len(query) > 0 {
		target += "?" + query.Encode()
	}
	body = []byte(s.memory.names.resolve(string(body)))
	shown := body
	if encoded, ok := toProtobuf(body, c.protobuf); ok {
		binary := *c
		binary.contentType = protobufType
		c, body = &binary, encoded
	}
	got := s.exchange(c, target, body)
	got.request = c.method + " " + target
	if len(shown) > 0 {
		got.request += "\n    " + orElse(c.contentType, "application/json") + ": " + string(shown)
	}
	return got
}

func (s *server) exchange(c *call, target string, body []byte) *answer {
	out := &answer{}
	ctx, cancel := context.WithTimeout(context.Background(), 60*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, c.method, s.conf.Base+target, bytes.NewReader(body))
	if err != nil {
		out.err = err
		return out
	}
	if len(body) == 0 {
		request.Body, request.ContentLength = http.NoBody, 0
	}
	if !c.anonymous {
		s.conf.Authorize(request)
	}
	request.Header.Set("User-Agent", "apidiff/1")
	request.Header.Set("Accept", orElse(c.accept, "application/json"))
	if len(body) > 0 {
		request.Header.Set("Content-Type", orElse(c.contentType, "application/json"))
	}
	client := s.client
	if c.anonymous {
		client = s.nobody
	}
	response, err := client.Do(request)
	if err != nil {
		out.err = err
		return out
	}
	defer response.Body.Close()
	data, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	out.err = err
	out.code = response.StatusCode
	out.media, _, _ = strings.Cut(response.Header.Get("Content-Type"), ";")
	out.warnings = response.Header.Values("Warning")
	if out.media == "application/json" || c.document { // the real index of OpenAPI calls itself plain text
		out.value, _ = decode(data)
	} else {
		out.plain = string(data[:min(len(data), 300)])
	}
	return out
}

// get reads one object and remembers it; nil when there is none.
func (s *server) get(path string) object {
	got := s.exchange(&call{method: "GET"}, s.memory.names.resolve(path), nil)
	found, _ := got.value.(object)
	if got.code != 200 {
		return nil
	}
	return found
}

func orElse(value, other string) string {
	if value == "" {
		return other
	}
	return value
}
