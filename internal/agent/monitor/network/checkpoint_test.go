package network

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	runtime "k8s.io/cri-api/pkg/apis/runtime/v1"

	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// sandboxes is a runtime, by gRPC's own library and CRI's own types, with one sandbox at an address.
type sandboxes struct {
	runtime.UnimplementedRuntimeServiceServer
	address atomic.Pointer[string]
	asked   atomic.Int32
}

func (s *sandboxes) PodSandboxStatus(_ context.Context, r *runtime.PodSandboxStatusRequest) (*runtime.PodSandboxStatusResponse, error) {
	s.asked.Add(1)
	if r.GetPodSandboxId() != "aaaa" {
		return nil, status.Error(codes.NotFound, "no such sandbox")
	}
	if *s.address.Load() == "" {
		return &runtime.PodSandboxStatusResponse{}, nil
	}
	return &runtime.PodSandboxStatusResponse{Status: &runtime.PodSandboxStatus{Network: &runtime.PodSandboxNetworkStatus{Ip: *s.address.Load()}}}, nil
}

func noted(id, link, address string) string {
	return fmt.Sprintf(`{"networkName":"aws-cni","containerID":%q,"ifName":%q,"ipv4":%q,"allocationTimestamp":1752549225388768888,
"metadata":{"k8sPodNamespace":"shop","k8sPodName":"web-0"}}`, id, link, address)
}

func written(entries ...string) string {
	text := `{"version":"vpc-cni-ipam/1","allocations":[`
	for i, e := range entries {
		if i > 0 {
			text += ","
		}
		text += e
	}
	return text + "]}"
}

func serveSandboxes(t *testing.T, h host.Host) *sandboxes {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.Path(containerd)), 0o755); err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", h.Path(containerd))
	if err != nil {
		t.Fatal(err)
	}
	s := &sandboxes{}
	address := "10.0.0.7"
	s.address.Store(&address)
	g := grpc.NewServer()
	runtime.RegisterRuntimeServiceServer(g, s)
	go func() { _ = g.Serve(listener) }()
	t.Cleanup(g.Stop)
	return s
}

func TestIPAMDInconsistentState(t *testing.T) {
	h := hostOf(t, nil)
	serveSandboxes(t, h)
	well := written(noted("aaaa", "eth0", "10.0.0.7"), noted("bbbb", "eth1", "10.0.0.8"))
	write(t, h, ipamdCheckpoint, well)
	w := watch(t, []reason.ID{reason.IPAMDInconsistentState}, briefly(allocations(h)))
	w.Goes(reason.IPAMDInconsistentState, "shop/web-0")
	for name, unhealthy := range map[string]string{
		"another address":       written(noted("aaaa", "eth0", "10.0.0.9")),
		"a sandbox that is not": written(noted("cccc", "eth0", "10.0.0.7")),
	} {
		write(t, h, ipamdCheckpoint, unhealthy)
		t.Log(name)
		w.Stands(reason.IPAMDInconsistentState, "shop/web-0")
		write(t, h, ipamdCheckpoint, well)
		w.Goes(reason.IPAMDInconsistentState, "shop/web-0")
	}
}

func TestCheckpointAsksOnce(t *testing.T) {
	h := hostOf(t, nil)
	s := serveSandboxes(t, h)
	write(t, h, ipamdCheckpoint, written(noted("aaaa", "eth0", "10.0.0.7")))
	m := allocations(h)
	for range 3 {
		quiet(t, m)
	}
	if asked := s.asked.Load(); asked != 1 {
		t.Errorf("asks %d times after an address that does not change", asked)
	}
}

func TestSandboxThatGetsItsAddressLater(t *testing.T) {
	h := hostOf(t, nil)
	s := serveSandboxes(t, h)
	none, address := "", "10.0.0.7"
	s.address.Store(&none)
	write(t, h, ipamdCheckpoint, written(noted("aaaa", "eth0", address)))
	m := allocations(h)
	if got := states(t, m); !slices.Contains(got, "Fault IPAMDInconsistentState shop/web-0") {
		t.Errorf("a sandbox without an address: %q", got)
	}
	s.address.Store(&address)
	quiet(t, m)
}

func TestCheckpointOfOthers(t *testing.T) {
	for name, tc := range map[string]struct {
		files map[string]string
		want  string
	}{
		"no VPC CNI":      {nil, "Inapplicable IPAMDInconsistentState"},
		"another version": {map[string]string{ipamdCheckpoint: `{"version":"ipam/2"}`}, "Unreadable IPAMDInconsistentState"},
		"half a file":     {map[string]string{ipamdCheckpoint: `{"version":"vpc-cni`}, "Unreadable IPAMDInconsistentState"},
		"no runtime":      {map[string]string{ipamdCheckpoint: written(noted("aaaa", "eth0", "10.0.0.7"))}, "Unreadable IPAMDInconsistentState"},
		"no pods":         {map[string]string{ipamdCheckpoint: written()}, "Well IPAMDInconsistentState"},
	} {
		t.Run(name, func(t *testing.T) {
			var m monitor.Monitor = allocations(hostOf(t, tc.files))
			if got := states(t, m); !slices.Equal(got, []string{tc.want}) {
				t.Errorf("%q, not %q", got, tc.want)
			}
		})
	}
}

func FuzzParseCheckpoint(f *testing.F) {
	f.Add([]byte(written(noted("aaaa", "eth0", "10.0.0.7"))))
	f.Fuzz(func(t *testing.T, text []byte) {
		if all, err := parseCheckpoint(text); err != nil && all != nil {
			t.Error("both allocations and an error")
		}
	})
}
