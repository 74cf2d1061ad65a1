package inprocess

import (
	"context"
	"fmt"
	"net"
	"os"

	"google.golang.org/grpc"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

// hollowEtcd answers every request with an error, in etcd's place. An API server waits for etcd without end when it stops,
// to take its address out of the kubernetes service; this lets it give up. Calling the result ends it.
func hollowEtcd(f *folder) (stop func(), err error) {
	if err := os.RemoveAll(f.socket()); err != nil {
		return nil, err
	}
	l, err := new(net.ListenConfig).Listen(context.Background(), "unix", f.socket())
	if err != nil {
		return nil, fmt.Errorf("stand in for %s: %w", controlplane.Etcd, err)
	}
	server := grpc.NewServer() // without services: everything is unimplemented
	go func() { _ = server.Serve(l) }()
	return server.Stop, nil
}
