package cri

import (
	"context"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"

	introspection "github.com/containerd/containerd/api/services/introspection/v1"
	"github.com/google/go-cmp/cmp"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/testing/protocmp"
	"google.golang.org/protobuf/types/known/emptypb"
	runtime "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// server is a runtime by gRPC's own library and CRI's own types.
type server struct {
	runtime.UnimplementedRuntimeServiceServer
	introspection.UnimplementedIntrospectionServer
	ran    *runtime.RunPodSandboxRequest
	filter *runtime.PodSandboxFilter
}

func (*server) Version(context.Context, *runtime.VersionRequest) (*runtime.VersionResponse, error) {
	return &runtime.VersionResponse{Version: "0.1.0", RuntimeName: "containerd", RuntimeVersion: "2.1.4", RuntimeApiVersion: "v1"}, nil
}

func (*server) Status(context.Context, *runtime.StatusRequest) (*runtime.StatusResponse, error) {
	return &runtime.StatusResponse{
		Status: &runtime.RuntimeStatus{Conditions: []*runtime.RuntimeCondition{
			{Type: "RuntimeReady", Status: true},
			{Type: "NetworkReady", Reason: "NetworkPluginNotReady", Message: "cni plugin not initialized"},
		}},
		Info:            map[string]string{"config": strings.Repeat("x", 1<<20)},
		RuntimeHandlers: []*runtime.RuntimeHandler{{Name: "runc"}},
	}, nil
}

func (s *server) ListPodSandbox(_ context.Context, r *runtime.ListPodSandboxRequest) (*runtime.ListPodSandboxResponse, error) {
	s.filter = r.GetFilter()
	meta := &runtime.PodSandboxMetadata{Name: "web-0", Uid: "u-1", Namespace: "shop", Attempt: 3}
	return &runtime.ListPodSandboxResponse{Items: []*runtime.PodSandbox{
		{Id: "s1", Metadata: meta, CreatedAt: 17, Labels: map[string]string{"app": "web"}},
		{Id: "s2", Metadata: meta, State: runtime.PodSandboxState_SANDBOX_NOTREADY},
	}}, nil
}

func (*server) ListContainers(context.Context, *runtime.ListContainersRequest) (*runtime.ListContainersResponse, error) {
	return &runtime.ListContainersResponse{Containers: []*runtime.Container{
		{Id: "c1", PodSandboxId: "s1", Metadata: &runtime.ContainerMetadata{Name: "main", Attempt: 2}, State: runtime.ContainerState_CONTAINER_RUNNING},
		{Id: "c2", PodSandboxId: "s2", State: runtime.ContainerState_CONTAINER_EXITED},
	}}, nil
}

func (s *server) RunPodSandbox(_ context.Context, r *runtime.RunPodSandboxRequest) (*runtime.RunPodSandboxResponse, error) {
	s.ran = r
	return &runtime.RunPodSandboxResponse{PodSandboxId: "s3"}, nil
}

func (*server) StopPodSandbox(context.Context, *runtime.StopPodSandboxRequest) (*runtime.StopPodSandboxResponse, error) {
	return nil, status.Error(codes.NotFound, "gone already")
}

func (*server) RemovePodSandbox(context.Context, *runtime.RemovePodSandboxRequest) (*runtime.RemovePodSandboxResponse, error) {
	return nil, status.Error(codes.Internal, `cannot remove "s3": 100% of ünlink failed`)
}

func (*server) Server(context.Context, *emptypb.Empty) (*introspection.ServerResponse, error) {
	return &introspection.ServerResponse{UUID: "u", Pid: 7, Deprecations: []*introspection.DeprecationWarning{
		{ID: "io.containerd.deprecation/cri-registry-mirrors", Message: "The `mirrors` property is deprecated"},
	}}, nil
}

func serve(t *testing.T, register func(*grpc.Server)) *Client {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "s")
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	g := grpc.NewServer()
	register(g)
	go func() { _ = g.Serve(listener) }()
	t.Cleanup(g.Stop)
	client := New(socket)
	t.Cleanup(client.Close)
	return client
}

// What gRPC's library answers with CRI's types is read as it was meant.
func TestClient(t *testing.T) {
	s := &server{}
	c := serve(t, func(g *grpc.Server) {
		runtime.RegisterRuntimeServiceServer(g, s)
		introspection.RegisterIntrospectionServer(g, s)
	})
	ctx := t.Context()
	version, err := c.Version(ctx)
	same(t, Version{Name: "containerd", Version: "2.1.4"}, version, err)
	conditions, err := c.Status(ctx)
	same(t, []Condition{
		{Type: "RuntimeReady", True: true},
		{Type: "NetworkReady", Reason: "NetworkPluginNotReady", Message: "cni plugin not initialized"},
	}, conditions, err)
	sandboxes, err := c.Sandboxes(ctx, map[string]string{"a": "b"})
	same(t, []Sandbox{
		{ID: "s1", Namespace: "shop", Name: "web-0", UID: "u-1"},
		{ID: "s2", Namespace: "shop", Name: "web-0", UID: "u-1", Stopped: true},
	}, sandboxes, err)
	same(t, &runtime.PodSandboxFilter{LabelSelector: map[string]string{"a": "b"}}, s.filter, nil)
	containers, err := c.Containers(ctx)
	same(t, []Container{{ID: "c1", Sandbox: "s1", Name: "main", Running: true}, {ID: "c2", Sandbox: "s2"}}, containers, err)
	deprecations, err := c.Deprecations(ctx)
	same(t, []Deprecation{{
		ID: "io.containerd.deprecation/cri-registry-mirrors", Message: "The `mirrors` property is deprecated",
	}}, deprecations, err)
	id, err := c.Run(ctx, NewSandbox{
		Namespace: "naosu", Name: "probe", UID: "u", Attempt: 4, Labels: map[string]string{"a": "b"}, CgroupParent: "/naosu", HostNetwork: true,
	})
	same(t, "s3", id, err)
	same(t, &runtime.RunPodSandboxRequest{Config: &runtime.PodSandboxConfig{
		Metadata: &runtime.PodSandboxMetadata{Namespace: "naosu", Name: "probe", Uid: "u", Attempt: 4},
		Labels:   map[string]string{"a": "b"},
		Linux: &runtime.LinuxPodSandboxConfig{CgroupParent: "/naosu", SecurityContext: &runtime.LinuxSandboxSecurityContext{
			NamespaceOptions: &runtime.NamespaceOption{Network: runtime.NamespaceMode_NODE, Pid: runtime.NamespaceMode_CONTAINER},
		}},
	}}, s.ran, nil)
	refusal := new(Error)
	if err := c.Remove(ctx, "s3"); !errors.As(err, &refusal) || refusal.Message != `cannot remove "s3": 100% of ünlink failed` {
		t.Errorf("a removal that fails after a stop of what is gone: %v", err)
	}
}

func same[T any](t *testing.T, want, got T, err error) {
	t.Helper()
	if diff := cmp.Diff(want, got, protocmp.Transform()); diff != "" || err != nil {
		t.Errorf("%v\n%s", err, diff)
	}
}

func TestNotAnswered(t *testing.T) {
	none := serve(t, func(*grpc.Server) {})
	if _, err := none.Status(t.Context()); !Refused(err, Unimplemented) {
		t.Errorf("a server without the service: %v", err)
	}
	absent := New(filepath.Join(t.TempDir(), "absent"))
	if _, err := absent.Status(t.Context()); err == nil || errors.As(err, new(*Error)) {
		t.Errorf("no server: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := none.Status(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that was given up: %v", err)
	}
}

// What protobuf's library accepts is read as the library reads it.
func FuzzAnswers(f *testing.F) {
	s := &server{}
	status, _ := s.Status(context.Background(), nil)
	status.Info = nil
	sandboxes, _ := s.ListPodSandbox(context.Background(), nil)
	containers, _ := s.ListContainers(context.Background(), nil)
	for _, m := range []proto.Message{status, sandboxes, containers} {
		raw, err := proto.Marshal(m)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		_, _ = conditions(raw)
		_, _ = list(raw, 4, (*Deprecation).read)
		mine, err := list(raw, 1, (*Sandbox).read)
		var theirs runtime.ListPodSandboxResponse
		if proto.Unmarshal(raw, &theirs) != nil {
			return
		}
		if err != nil || len(mine) != len(theirs.GetItems()) {
			t.Fatalf("read %d sandboxes of %d: %v", len(mine), len(theirs.GetItems()), err)
		}
		for i, one := range theirs.GetItems() {
			m := one.GetMetadata()
			want := Sandbox{ID: one.GetId(), Namespace: m.GetNamespace(), Name: m.GetName(), UID: m.GetUid(), Stopped: one.GetState() == 1}
			if diff := cmp.Diff(want, mine[i]); diff != "" {
				t.Fatal(diff)
			}
		}
	})
}
