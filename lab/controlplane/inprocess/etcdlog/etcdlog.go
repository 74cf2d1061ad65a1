// Package etcdlog takes the log of etcd's client away from the terminal.
//
// Kubernetes makes that client's logger while its packages are initialised, from a default that etcd exports. To change
// the default in time this package must come first, and it does: Go initialises packages in the order of their import
// paths once their own imports are done (Go specification, "Program initialization"), and this one needs little.
package etcdlog

import (
	"io"
	"net/url"
	"sync/atomic"

	"go.etcd.io/etcd/client/pkg/v3/logutil"
	"go.uber.org/zap"
)

const scheme = "naosu-etcdlog"

var output atomic.Pointer[io.Writer]

// SetOutput says where the log goes; before, it goes nowhere.
func SetOutput(w io.Writer) { output.Store(&w) }

func init() {
	if err := zap.RegisterSink(scheme, func(*url.URL) (zap.Sink, error) { return sink{}, nil }); err != nil {
		return // etcd's default stays
	}
	logutil.DefaultZapLoggerConfig.OutputPaths = []string{scheme + ":"}
	logutil.DefaultZapLoggerConfig.ErrorOutputPaths = []string{scheme + ":"}
}

type sink struct{}

func (sink) Write(line []byte) (int, error) {
	if w := output.Load(); w != nil {
		return (*w).Write(line)
	}
	return len(line), nil
}

func (sink) Sync() error  { return nil }
func (sink) Close() error { return nil }
