package inprocess

import (
	"context"
	"os"
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/status"
)

// TestStubEtcd calls the stub before and after its socket is removed.
func TestStubEtcd(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f, err := openFolder("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.close() })
	stop, err := startStubEtcd(f)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		ctx, cancel := context.WithTimeout(t.Context(), 4*time.Minute)
		defer cancel()
		conn, err := grpc.NewClient("unix://"+f.socket(), grpc.WithTransportCredentials(insecure.NewCredentials()))
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		_, err = grpc_health_v1.NewHealthClient(conn).Check(ctx, &grpc_health_v1.HealthCheckRequest{}, grpc.WaitForReady(true))
		if status.Code(err) != codes.Unimplemented {
			t.Errorf("got %v, want that nothing is implemented", err)
		}
		kv := etcdserverpb.NewKVClient(conn)
		for key, want := range map[string]codes.Code{"/registry/leases/kube-system/apiserver-1": codes.OK, "/registry/pods/default/web-0": codes.Unimplemented} {
			if _, err := kv.Range(ctx, &etcdserverpb.RangeRequest{Key: []byte(key)}); status.Code(err) != want {
				t.Errorf("reading %s: got %v, want %v", key, err, want)
			}
		}
		if err := os.Remove(f.socket()); err != nil {
			t.Fatal(err)
		}
	}
	stop()
}
