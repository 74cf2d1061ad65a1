package inprocess

import (
	"context"
	"testing"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/status"
)

// TestWaitForDisk reads the configuration after its flags are parsed, since etcd's own flags set what they do not get.
func TestWaitForDisk(t *testing.T) {
	f, err := openFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.close() })
	for name, test := range map[string]struct {
		flags []string
		waits bool
	}{
		"without flags":    {nil, false},
		"with other flags": {[]string{"--quota-backend-bytes=1000000"}, false},
		"with its flag":    {[]string{"--unsafe-no-fsync=false"}, true},
	} {
		config, err := etcdConfig(f, test.flags)
		if err != nil {
			t.Fatal(err)
		}
		if waits := !config.UnsafeNoFsync; waits != test.waits {
			t.Errorf("%s, etcd waits for the disk: %v, want %v", name, waits, test.waits)
		}
	}
}

// lateWatches answers a watch before and after its stream has ended, as etcd does when it is asked for one while it stops.
type lateWatches struct {
	*etcdserverpb.UnimplementedWatchServer
	stop context.CancelFunc
	late chan error
}

func (w lateWatches) Watch(stream etcdserverpb.Watch_WatchServer) error {
	if err := stream.Send(&etcdserverpb.WatchResponse{Created: true}); err != nil {
		return err
	}
	w.stop()
	<-stream.Context().Done()
	w.late <- stream.Send(&etcdserverpb.WatchResponse{Created: true, Canceled: true})
	return stream.Context().Err()
}

func TestEndedStream(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	f, err := openFolder("")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.close() })
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	server := grpc.NewServer(grpc.ChainStreamInterceptor(endStreams(ctx)))
	defer server.Stop()
	watches := lateWatches{stop: stop, late: make(chan error, 1)}
	etcdserverpb.RegisterWatchServer(server, watches)
	if err := serveAt(server, f.socket()); err != nil {
		t.Fatal(err)
	}
	conn, err := grpc.NewClient("unix://"+f.socket(), grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	stream, err := etcdserverpb.NewWatchClient(conn).Watch(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if answer, err := stream.Recv(); err != nil || answer.GetCanceled() {
		t.Fatalf("before the end: got %v, %v", answer, err)
	}
	if answer, err := stream.Recv(); status.Code(err) != codes.Canceled {
		t.Errorf("after the end: got %v, %v, want that the stream is cancelled", answer, err)
	}
	if err := <-watches.late; status.Code(err) != codes.Canceled {
		t.Errorf("an answer after the end: got %v, want that it is not sent", err)
	}
}
