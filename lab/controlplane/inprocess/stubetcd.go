package inprocess

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"net"
	"os"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

// startStubEtcd starts a stub of etcd for an API server that stops after etcd has ended. The stub holds no Lease, accepts and
// discards those that are written, and answers everything else with an error. stop ends it.
//
// Without etcd an API server does not end: to take its address out of the kubernetes service it waits for etcd, and its
// identity lease's controller holds the lock that its Stop waits for until the lease is there or can be created
// (k8s.io/component-helpers/apimachinery/lease, backoffEnsureLease).
//
// etcd's listener removes its socket by name whenever it is closed (go.etcd.io/etcd/client/pkg/v3/transport, unixListener),
// which may be once more after etcd has stopped; the socket that is then there is the stub's, and is created again.
func startStubEtcd(f *folder) (stop func(), err error) {
	server := grpc.NewServer()
	etcdserverpb.RegisterKVServer(server, stubKV{})
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

// stubKV is the key-value service of the stub.
type stubKV struct {
	*etcdserverpb.UnimplementedKVServer
}

func (stubKV) Range(_ context.Context, r *etcdserverpb.RangeRequest) (*etcdserverpb.RangeResponse, error) {
	if !isLease(r.Key) {
		return nil, errStubEtcd
	}
	return &etcdserverpb.RangeResponse{Header: stubError()}, nil
}

func (stubKV) Txn(_ context.Context, r *etcdserverpb.TxnRequest) (*etcdserverpb.TxnResponse, error) {
	if len(r.Compare) == 0 || !isLease(r.Compare[0].Key) {
		return nil, errStubEtcd
	}
	return &etcdserverpb.TxnResponse{Header: stubError(), Succeeded: true}, nil
}

func isLease(key []byte) bool { return bytes.HasPrefix(key, []byte("/registry/leases/")) }

var errStubEtcd = status.Error(codes.Unimplemented, "this is not "+string(controlplane.Etcd))

// stubError is the header of every answer. No revision may be lower than one that the API server has seen.
func stubError() *etcdserverpb.ResponseHeader {
	return &etcdserverpb.ResponseHeader{Revision: math.MaxInt64 - 1}
}
