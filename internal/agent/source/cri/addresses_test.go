package cri

import (
	"context"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtime "k8s.io/cri-api/pkg/apis/runtime/v1"
)

// addressed is a runtime of two sandboxes.
type addressed struct {
	runtime.UnimplementedRuntimeServiceServer
}

func (addressed) PodSandboxStatus(_ context.Context, r *runtime.PodSandboxStatusRequest) (*runtime.PodSandboxStatusResponse, error) {
	s := &runtime.PodSandboxStatus{Id: r.GetPodSandboxId(), Metadata: &runtime.PodSandboxMetadata{Name: "web-0"}, Labels: map[string]string{"a": "b"}}
	switch r.GetPodSandboxId() {
	case "pod":
		s.Network = &runtime.PodSandboxNetworkStatus{Ip: "10.0.0.7", AdditionalIps: []*runtime.PodIP{{Ip: "fd00::7"}, {Ip: "10.1.0.7"}}}
	case "host":
		s.Network = &runtime.PodSandboxNetworkStatus{}
	default:
		return nil, status.Error(codes.NotFound, "no such sandbox")
	}
	return &runtime.PodSandboxStatusResponse{Status: s, Info: map[string]string{"info": "{}"}}, nil
}

func TestAddresses(t *testing.T) {
	c := serve(t, func(g *grpc.Server) { runtime.RegisterRuntimeServiceServer(g, addressed{}) })
	pod, err := c.Addresses(t.Context(), "pod")
	same(t, []string{"10.0.0.7", "fd00::7", "10.1.0.7"}, pod, err)
	host, err := c.Addresses(t.Context(), "host")
	same(t, nil, host, err)
	if _, err := c.Addresses(t.Context(), "gone"); !Refused(err, NotFound) {
		t.Errorf("of a sandbox that is gone: %v", err)
	}
}
