package inprocess

import (
	"context"
	"errors"
	"fmt"

	"go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

// A transaction holds as many puts and bytes as etcd takes by default (--max-txn-ops 128, --max-request-bytes 1.5 MiB),
// with room for the rest of the request.
const (
	fillPuts  = 100
	fillBytes = 1 << 20
)

// fill lets the caller put objects in place. A data folder that holds a cluster already is the caller's to look out for.
func (p *local) fill(ctx context.Context) (err error) {
	if p.options.Fill == nil {
		return nil
	}
	client, err := clientv3.New(clientv3.Config{
		Context: ctx, Endpoints: []string{"unix://" + p.folder.socket()}, Logger: etcdLogger(),
		DialOptions: []grpc.DialOption{grpc.WithTransportCredentials(insecure.NewCredentials())},
	})
	if err != nil {
		return fmt.Errorf("fill %s: %w", controlplane.Etcd, err)
	}
	defer func() { err = errors.Join(err, client.Close()) }()
	b := &batch{ctx: ctx, client: client}
	if err := p.options.Fill(b.put); err != nil {
		return err
	}
	return b.flush()
}

// batch gathers puts into transactions: one each would take a round trip an object.
type batch struct {
	ctx    context.Context
	client *clientv3.Client
	puts   []clientv3.Op
	bytes  int
}

func (b *batch) put(key string, value []byte) error {
	if len(b.puts) == fillPuts || len(b.puts) > 0 && b.bytes+len(value) > fillBytes {
		if err := b.flush(); err != nil {
			return err
		}
	}
	b.puts = append(b.puts, clientv3.OpPut(key, string(value)))
	b.bytes += len(value)
	return nil
}

func (b *batch) flush() error {
	if len(b.puts) == 0 {
		return nil
	}
	if _, err := b.client.Txn(b.ctx).Then(b.puts...).Commit(); err != nil {
		return fmt.Errorf("fill %s: %w", controlplane.Etcd, err)
	}
	b.puts, b.bytes = nil, 0
	return nil
}
