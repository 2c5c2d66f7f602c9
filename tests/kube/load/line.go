package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"basalt.test/kube/kubeconf"
)

// maxWait bounds one answer.
const maxWait = 60 * time.Second

// line is one kept-alive HTTP/1.1 connection: requests are written as bytes, and of answers only the code, the length
// and the body are read. This is a tenth of the work of net/http and leaves the processor to the server.
type line struct {
	conf   *kubeconf.Server
	socket net.Conn
	reader *bufio.Reader
	body   bytes.Buffer
}

func dial(conf *kubeconf.Server) (*line, error) {
	plain, err := net.DialTimeout("tcp", conf.Host, 10*time.Second)
	if err != nil {
		return nil, err
	}
	if strings.HasPrefix(conf.Base, "https:") {
		security := conf.TLS.Clone()
		if security.ServerName == "" {
			security.ServerName, _, _ = net.SplitHostPort(conf.Host)
		}
		plain = tls.Client(plain, security)
	}
	return &line{conf: conf, socket: plain, reader: bufio.NewReaderSize(plain, 64<<10)}, nil
}

func (l *line) close() { l.socket.Close() }

// post is a whole POST request as bytes.
func post(conf *kubeconf.Server, path, body string) []byte {
	return []byte("POST " + path + " HTTP/1.1\r\n" + headers(conf) + "Content-Type: application/json\r\nContent-Length: " +
		strconv.Itoa(len(body)) + "\r\n\r\n" + body)
}

func headers(conf *kubeconf.Server) string {
	out := "Host: " + conf.Host + "\r\nUser-Agent: load/1\r\nAccept: application/json\r\n"
	if conf.Token != "" {
		out += "Authorization: Bearer " + conf.Token + "\r\n"
	}
	return out
}

// exchange sends a request and reads its answer; the body is valid until the next call.
func (l *line) exchange(request []byte) (int, []byte, error) {
	l.socket.SetDeadline(time.Now().Add(maxWait))
	if _, err := l.socket.Write(request); err != nil {
		return 0, nil, err
	}
	code, length, chunked, err := l.head()
	if err != nil {
		return 0, nil, err
	}
	l.body.Reset()
	if !chunked {
		_, err = io.CopyN(&l.body, l.reader, int64(length))
		return code, l.body.Bytes(), err
	}
	for {
		size, err := l.chunk()
		if err != nil || size == 0 {
			return code, l.body.Bytes(), err
		}
	}
}

// head reads the status line and headers.
func (l *line) head() (code, length int, chunked bool, err error) {
	first, err := l.reader.ReadSlice('\n')
	if err != nil {
		return 0, 0, false, err
	}
	if len(first) < 12 {
		return 0, 0, false, fmt.Errorf("not HTTP: %q", first)
	}
	code, _ = strconv.Atoi(string(first[9:12]))
	for {
		header, err := l.reader.ReadSlice('\n')
		if err != nil {
			return code, 0, false, err
		}
		if len(header) <= 2 {
			return code, length, chunked, nil
		}
		name, value, _ := bytes.Cut(header, []byte(":"))
		switch {
		case bytes.EqualFold(name, []byte("Content-Length")):
			length, _ = strconv.Atoi(string(bytes.TrimSpace(value)))
		case bytes.EqualFold(name, []byte("Transfer-Encoding")):
			chunked = true
		}
	}
}

// chunk appends the next chunk to the body and returns its size, 0 at the end.
func (l *line) chunk() (int, error) {
	header, err := l.reader.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	digits, _, _ := strings.Cut(string(bytes.TrimSpace(header)), ";")
	size, err := strconv.ParseInt(digits, 16, 32)
	if err != nil {
		return 0, err
	}
	if _, err := io.CopyN(&l.body, l.reader, size); err != nil {
		return 0, err
	}
	_, err = l.reader.Discard(2)
	return int(size), err
}
