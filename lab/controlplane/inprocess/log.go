package inprocess

import (
	"bytes"
	"io"
	"strings"
	"sync"

	utilfeature "k8s.io/apiserver/pkg/util/feature"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"

	"github.com/naosu-dev/naosu/lab/controlplane/inprocess/etcdlog"
)

// sink is where everything Kubernetes and etcd log in this process goes. Their loggers can be set once and outlive a
// plane, so it is the sink's target that changes. It also remembers the last error, because a call of Fatal leaves no
// other trace.
type sink struct {
	mu     sync.Mutex
	target io.Writer
	last   string
}

var components = &sink{target: io.Discard}

// Write never fails: a full disk under the log must not stop what is logged.
func (s *sink) Write(line []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(line) > 0 && (line[0] == 'E' || line[0] == 'F') {
		s.last = message(line)
	}
	_, _ = s.target.Write(line)
	return len(line), nil
}

// message is a record's first line without klog's header.
func message(line []byte) string {
	first, _, _ := bytes.Cut(line, []byte("\n"))
	if _, text, found := strings.Cut(string(first), "] "); found {
		return text
	}
	return string(first)
}

func (s *sink) direct(target io.Writer) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.target, s.last = target, ""
}

func (s *sink) lastError() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last
}

// captureLogs points klog at the sink, once in a process, so that no component ever writes to the terminal.
var captureLogs = sync.OnceValue(func() error {
	etcdlog.SetOutput(components)
	logsapi.ReapplyHandling = logsapi.ReapplyHandlingIgnoreUnchanged
	streams := &logsapi.LoggingOptions{ErrorStream: components, InfoStream: components}
	return logsapi.ValidateAndApplyWithOptions(logs.NewOptions(), streams, utilfeature.DefaultFeatureGate)
})
