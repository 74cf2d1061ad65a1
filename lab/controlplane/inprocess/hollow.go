package inprocess

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"time"

	"google.golang.org/grpc"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

// hollowEtcd answers every request with an error, in etcd's place. An API server waits for etcd without end when it stops,
// to take its address out of the kubernetes service; this lets it give up. Calling the result ends it.
//
// etcd's listener removes its socket by name whenever it is closed (go.etcd.io/etcd/client/pkg/v3/transport, unixListener),
// which may be once more after etcd has stopped; the socket that then stands there is this one's, and is made again.
func hollowEtcd(f *folder) (stop func(), err error) {
	server := grpc.NewServer() // without services: everything is unimplemented
	if err := serveAt(server, f.socket()); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		again := time.NewTicker(100 * time.Millisecond)
		defer again.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-again.C:
			}
			if _, err := os.Lstat(f.socket()); errors.Is(err, fs.ErrNotExist) {
				_ = serveAt(server, f.socket()) // What fails is tried again.
			}
		}
	}()
	return func() { cancel(); <-ended; server.Stop() }, nil
}

func serveAt(server *grpc.Server, socket string) error {
	if err := os.RemoveAll(socket); err != nil {
		return fmt.Errorf("stand in for %s: %w", controlplane.Etcd, err)
	}
	l, err := new(net.ListenConfig).Listen(context.Background(), "unix", socket)
	if err != nil {
		return fmt.Errorf("stand in for %s: %w", controlplane.Etcd, err)
	}
	go func() { _ = server.Serve(l) }()
	return nil
}
