package network

import (
	"context"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// The DMI of machines, as their kernels show it.
var (
	nitro   = map[string]string{"sys_vendor": "Amazon EC2\n", "product_name": "m7g.large\n", "bios_version": "1.0\n", "chassis_asset_tag": "Amazon EC2\n"}
	xen     = map[string]string{"sys_vendor": "Xen\n", "product_name": "HVM domU\n", "bios_version": "4.11.amazon\n"}
	google  = map[string]string{"sys_vendor": "Google\n", "product_name": "Google Compute Engine\n", "bios_version": "Google\n"}
	azure   = map[string]string{"sys_vendor": "Microsoft Corporation\n", "product_name": "Virtual Machine\n", "chassis_asset_tag": "7783-7084-3265-9085-8269-3286-77\n"}
	hyperV  = map[string]string{"sys_vendor": "Microsoft Corporation\n", "product_name": "Virtual Machine\n", "chassis_asset_tag": "0000-0014-5033-9437-9421-6321-45\n"}
	ownIron = map[string]string{"sys_vendor": "Dell Inc.\n", "product_name": "PowerEdge R650\n", "bios_version": "1.6.5\n"}
)

func machine(t *testing.T, dmi map[string]string, boot string) host.Host {
	t.Helper()
	files := map[string]string{"/proc/sys/kernel/random/boot_id": boot + "\n", "/proc/stat": "btime 1700000000\n"}
	for field, text := range dmi {
		files["/sys/class/dmi/id/"+field] = text
	}
	return hostOf(t, files)
}

// serveMetadata answers where a machine's provider does, as told: a status, 0 not at all, or -1 only the beginning.
func serveMetadata(t *testing.T, status *atomic.Int32) *http.Server {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "169.254.169.254:80")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: localTimeout, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch code := int(status.Load()); code {
		case 0:
			<-r.Context().Done()
		case -1:
			w.Header().Set("Content-Length", "100")
			_, _ = w.Write([]byte("x"))
			_ = http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		case http.StatusFound:
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(code)
		default:
			w.WriteHeader(code)
		}
	})}
	go func() { _ = server.Serve(listener) }()
	t.Cleanup(func() { _ = server.Close() })
	return server
}

func TestInstanceMetadataUnreachable(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	run(t, "ip address add 169.254.169.254/32 dev lo")
	t.Setenv("HTTP_PROXY", "http://127.0.0.1:1") // Nobody's.
	var status atomic.Int32
	status.Store(http.StatusOK)
	server := serveMetadata(t, &status)
	h, folder := machine(t, nitro, "first"), t.TempDir()
	w := watch(t, []reason.ID{reason.InstanceMetadataUnreachable}, briefly(instanceMetadata(h, folder)))
	w.Goes(reason.InstanceMetadataUnreachable, "")
	status.Store(http.StatusServiceUnavailable)
	w.Stands(reason.InstanceMetadataUnreachable, "", "EC2", "answers 503")
	status.Store(http.StatusForbidden) // It was switched off, and says so.
	w.Goes(reason.InstanceMetadataUnreachable, "")
	status.Store(-1)
	w.Stands(reason.InstanceMetadataUnreachable, "", "begins to answer")
	status.Store(http.StatusFound)
	w.Goes(reason.InstanceMetadataUnreachable, "")
	_ = server.Close()
	w.Stands(reason.InstanceMetadataUnreachable, "", "connection refused")

	// Another run of the agent knows that it answered, and after a reboot nobody does.
	for boot, want := range map[string]string{"first": "Fault InstanceMetadataUnreachable", "second": "Unreadable InstanceMetadataUnreachable"} {
		if got := states(t, instanceMetadata(machine(t, nitro, boot), folder)); !slices.Contains(got, want) {
			t.Errorf("after boot %s: %q, not %q", boot, got, want)
		}
	}
	if got := states(t, instanceMetadata(h, "")); !slices.Equal(got, []string{"Unreadable InstanceMetadataUnreachable"}) {
		t.Errorf("without a folder: %q", got)
	}
}

// A service that takes connections and says nothing is waited for so long and no longer.
func TestSilentInstanceMetadata(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	run(t, "ip address add 169.254.169.254/32 dev lo")
	var status atomic.Int32
	serveMetadata(t, &status)
	m := &metadataService{host: machine(t, google, "first"), answered: true}
	found, err := m.find(t.Context())
	if err != nil || len(found) != 1 || found[0].State != evidence.Fault || !strings.Contains(found[0].Raw, "Client.Timeout exceeded") {
		t.Errorf("%+v, %v", found, err)
	}
	ended, end := context.WithTimeout(t.Context(), time.Millisecond)
	defer end()
	if found, err := m.find(ended); err == nil {
		t.Errorf("an agent that is ended says %+v", found)
	}
}

// Each provider is asked in its own words, and a machine of none not at all.
func TestClouds(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	run(t, "ip address add 169.254.169.254/32 dev lo")
	var asked []string
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", "169.254.169.254:80")
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: localTimeout, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		words := []string{r.Method, r.URL.Path}
		for _, name := range []string{"X-aws-ec2-metadata-token-ttl-seconds", "Metadata-Flavor", "Metadata", "X-Forwarded-For"} {
			if value := r.Header.Get(name); value != "" {
				words = append(words, name+"="+value)
			}
		}
		asked = append(asked, strings.Join(words, " "))
		_, _ = io.WriteString(w, strings.Repeat("x", 1<<20))
	})}
	go func() { _ = server.Serve(listener) }()
	defer server.Close()
	for name, tc := range map[string]struct {
		dmi   map[string]string
		asked string
		state string
	}{
		"Nitro":          {nitro, "PUT /latest/api/token X-aws-ec2-metadata-token-ttl-seconds=60", "Well"},
		"Xen":            {xen, "PUT /latest/api/token X-aws-ec2-metadata-token-ttl-seconds=60", "Well"},
		"Compute Engine": {google, "GET /computeMetadata/v1/instance/id Metadata-Flavor=Google", "Well"},
		"Azure":          {azure, "GET /metadata/versions Metadata=true", "Well"},
		"Hyper-V":        {hyperV, "", "Inapplicable"},
		"of one's own":   {ownIron, "", "Inapplicable"},
		"no DMI":         {nil, "", "Inapplicable"},
	} {
		asked = nil
		got := states(t, instanceMetadata(machine(t, tc.dmi, "x"), t.TempDir()))
		if want := []string{tc.state + " InstanceMetadataUnreachable"}; !slices.Equal(got, want) {
			t.Errorf("%s: %q, not %q", name, got, want)
		}
		if got := strings.Join(asked, ", "); got != tc.asked {
			t.Errorf("%s: it asks %s, not %s", name, got, tc.asked)
		}
	}
}
