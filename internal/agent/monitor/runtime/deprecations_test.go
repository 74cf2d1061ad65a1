package runtime

import (
	"context"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	introspection "github.com/containerd/containerd/api/services/introspection/v1"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// introspected answers as a containerd whose configuration may be an old one.
type introspected struct {
	introspection.UnimplementedIntrospectionServer
	old atomic.Bool
}

func (s *introspected) Server(context.Context, *emptypb.Empty) (*introspection.ServerResponse, error) {
	answer := &introspection.ServerResponse{UUID: "4f8e2a9c", Pid: 1}
	if s.old.Load() {
		answer.Deprecations = []*introspection.DeprecationWarning{{
			ID:      "io.containerd.deprecation/cri-registry-mirrors",
			Message: "The `mirrors` property of `[plugins.\"io.containerd.grpc.v1.cri\".registry]` is deprecated since containerd v1.5",
		}}
	}
	return answer, nil
}

// Debian's containerd is older than the answer, so that a server of containerd's own API stands in for a newer one.
func TestDeprecatedContainerdConfiguration(t *testing.T) {
	h := kubeletHost(t)
	const socket = "/c/s"
	if err := os.Mkdir(filepath.Dir(h.Path(socket)), 0o700); err != nil {
		t.Fatal(err)
	}
	listener, err := listen(t, "unix", h.Path(socket))
	if err != nil {
		t.Fatal(err)
	}
	s := &introspected{}
	s.old.Store(true)
	server := grpc.NewServer()
	introspection.RegisterIntrospectionServer(server, s)
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(server.Stop)

	o := nothing()
	o.Sockets, o.Patience = []string{socket}, time.Second
	w := watch(t, h, o)
	w.Stands(reason.DeprecatedContainerdConfiguration, "io.containerd.deprecation/cri-registry-mirrors")
	s.old.Store(false)
	w.Goes(reason.DeprecatedContainerdConfiguration, "io.containerd.deprecation/cri-registry-mirrors")

	server.Stop()
	d := deprecations{runtimes: newRuntimes(h, []string{socket}), patience: time.Second}
	if found, err := d.find(t.Context()); err != nil || len(found) != 1 || found[0].State != evidence.Inapplicable {
		t.Errorf("without a socket: %v, %v", found, err)
	}
}
