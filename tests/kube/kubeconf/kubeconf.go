// Package kubeconf turns a kubeconfig into what raw HTTP clients of the tests need: a base URL, a token and TLS.
package kubeconf

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strings"
	"time"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// Server is one API server as an administrator sees it.
type Server struct {
	Base  string // https://host:port, without a slash at the end
	Host  string // host:port
	Token string // bearer token; empty when client certificates are used
	TLS   *tls.Config
}

// Load reads the current context of a kubeconfig file.
func Load(path string) (*Server, error) {
	config, err := clientcmd.BuildConfigFromFlags("", path)
	if err != nil {
		return nil, fmt.Errorf("kubeconfig %s: %w", path, err)
	}
	security, err := rest.TLSConfigFor(config)
	if err != nil {
		return nil, fmt.Errorf("kubeconfig %s: %w", path, err)
	}
	if security == nil {
		security = &tls.Config{MinVersion: tls.VersionTLS12}
	}
	security.NextProtos = []string{"http/1.1"}
	base := strings.TrimSuffix(config.Host, "/")
	host := strings.TrimPrefix(strings.TrimPrefix(base, "https://"), "http://")
	return &Server{Base: base, Host: host, Token: config.BearerToken, TLS: security}, nil
}

// Client makes an HTTP/1.1 client that keeps up to connections connections alive.
func (s *Server) Client(connections int) *http.Client {
	return &http.Client{Transport: &http.Transport{
		TLSClientConfig:     s.TLS.Clone(),
		MaxIdleConns:        connections,
		MaxIdleConnsPerHost: connections,
		DisableCompression:  true,
		TLSNextProto:        map[string]func(string, *tls.Conn) http.RoundTripper{},
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
	}}
}

// Anonymous is the same server without credentials: neither token nor client certificate.
func (s *Server) Anonymous() *Server {
	out := *s
	out.Token = ""
	out.TLS = s.TLS.Clone()
	out.TLS.Certificates, out.TLS.GetClientCertificate = nil, nil
	return &out
}

// Authorize adds the credentials to a request.
func (s *Server) Authorize(request *http.Request) {
	if s.Token != "" {
		request.Header.Set("Authorization", "Bearer "+s.Token)
	}
}
