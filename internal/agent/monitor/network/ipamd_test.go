package network

import (
	"context"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
)

const (
	aPod      = "/var/log/pods/kube-system_aws-node-x7k2p_0c2f1b1e-7f0d-4c57-9d0f-3f3f6f0e7a11/aws-node/0.log"
	policyLog = "/var/log/pods/kube-system_aws-node-x7k2p_0c2f1b1e-7f0d-4c57-9d0f-3f3f6f0e7a11/aws-eks-nodeagent/0.log"
)

var aVPCNode = map[string]string{
	aPod: "",
	ipamdLog: `{"level":"info","ts":"2026-07-31T14:16:05.979Z","caller":"aws-k8s-agent/main.go:105","msg":"Starting L-IPAMD v1.21.1  ..."}
{"level":"error","ts":"2026-07-31T14:16:10.979Z","caller":"k8sapi/k8sutils.go:180","msg":"Unable to reach API Server, Get \"https://172.29.8.1:443/version?timeout=5s\": context deadline exceeded"}
{"level":"info","ts":"2026-07-31T14:16:11.112Z","caller":"k8sapi/k8sutils.go:185","msg":"Successful communication with the Cluster!"}
`,
}

const ipamdName = "aws-k8s-agent"

func addressesOf(h host.Host) monitor.Periodic {
	return addresses(h, systemd.New(h), DefaultOptions())
}

// startIPAMD starts a process of the daemon's name, and returns what ends it.
func startIPAMD(t *testing.T) (end func()) {
	t.Helper()
	binary := filepath.Join(t.TempDir(), ipamdName)
	run(t, "cp $(command -v sleep) "+binary)
	process := exec.CommandContext(t.Context(), binary, "infinity")
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	return func() {
		_ = process.Process.Kill()
		_ = process.Wait()
	}
}

// serveENIs answers as the daemon does, where it does, and returns what ends it.
func serveENIs(t *testing.T, answer string) (end func()) {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", DefaultOptions().IPAMD)
	if err != nil {
		t.Fatal(err)
	}
	server := &http.Server{ReadHeaderTimeout: localTimeout, Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/enis" {
			http.NotFound(w, r)
			return
		}
		_, _ = w.Write([]byte(answer))
	})}
	go func() { _ = server.Serve(listener) }()
	return func() { _ = server.Close() }
}

func TestIPAMDNotReady(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	defer startIPAMD(t)()
	end := serveENIs(t, "{}")
	w := watch(t, []reason.ID{reason.IPAMDNotReady}, briefly(addressesOf(hostWith(t, aVPCNode))))
	w.Goes(reason.IPAMDNotReady, "")
	end()
	w.Stands(reason.IPAMDNotReady, "", "connection refused", "Unable to reach API Server") // what ipamd's log says of it
	defer serveENIs(t, "{}")()
	w.Goes(reason.IPAMDNotReady, "")
}

func TestIPAMDNotRunning(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	end := startIPAMD(t)
	w := watch(t, []reason.ID{reason.IPAMDNotRunning}, briefly(addressesOf(hostWith(t, aVPCNode))))
	w.Goes(reason.IPAMDNotRunning, "")
	end()
	w.Stands(reason.IPAMDNotRunning, "")
	defer startIPAMD(t)()
	w.Goes(reason.IPAMDNotRunning, "")
}

func TestIPAMDRepeatedlyRestart(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	end := startIPAMD(t)
	quicker := func(r *reason.Reason) { r.Clears.Quiet = min(r.Clears.Quiet, time.Second) }
	w := agenttest.Watch(t, []monitor.Monitor{briefly(addressesOf(hostWith(t, aVPCNode)))}, agenttest.Sooner(reason.IPAMDNotRunning), quicker)
	w.Goes(reason.IPAMDNotRunning, "")
	for range 5 {
		if p := w.Snapshot(); len(p.Standing) > 0 {
			t.Fatalf("after fewer than five restarts this stands: %+v", p.Standing)
		}
		end()
		w.Stands(reason.IPAMDNotRunning, "")
		end = startIPAMD(t)
		w.Goes(reason.IPAMDNotRunning, "")
	}
	defer end()
	w.Stands(reason.IPAMDRepeatedlyRestart, "")
	w.Goes(reason.IPAMDRepeatedlyRestart, "")
}

// eks-node-monitoring-agent#215: one line at boot, and a daemon that answers since.
func TestQuietAboutALineAtBoot(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	defer startIPAMD(t)()
	defer serveENIs(t, "{}")()
	quiet(t, addressesOf(hostWith(t, aVPCNode)))
}

// DISABLE_INTROSPECTION: only the CNI plugin's socket answers, since July 2026 a Unix socket.
func TestQuietWithoutIntrospection(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	defer startIPAMD(t)()
	h := hostWith(t, aVPCNode)
	if err := os.MkdirAll(filepath.Dir(h.Path(ipamdSocket)), 0o755); err != nil {
		t.Fatal(err)
	}
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "unix", h.Path(ipamdSocket))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	quiet(t, addressesOf(h))
}

// eks-node-monitoring-agent#28: another CNI has taken the VPC CNI's place, which left its files behind; and a pod with a
// name that begins as its.
func TestQuietAboutAnotherCNI(t *testing.T) {
	h := hostOf(t, map[string]string{
		ipamdLog: aVPCNode[ipamdLog], "/etc/cni/net.d/10-calico.conflist": "{}", "/opt/cni/bin/aws-cni": "",
		"/var/log/pods/kube-system_aws-node-termination-handler-8x2lp_4b0c6a50-0f3d-4f0e-a1f0-9a4a0f0a3f11/aws-node-termination-handler/0.log": "",
	})
	want := []string{"Inapplicable IPAMDNotReady", "Inapplicable IPAMDNotRunning", "Inapplicable IPAMDRepeatedlyRestart"}
	if diff := cmp.Diff(want, states(t, addressesOf(h))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A pod that a workload has named as the VPC CNI's makes this no node of it, which would be without its daemon.
func TestQuietAboutAWorkloadsPod(t *testing.T) {
	h := hostOf(t, map[string]string{
		"/var/log/pods/tenant_aws-node-x7k2p_4b0c6a50-0f3d-4f0e-a1f0-9a4a0f0a3f11/aws-node/0.log":           "",
		"/var/log/pods/tenant_aws-node-x7k2p_4b0c6a50-0f3d-4f0e-a1f0-9a4a0f0a3f11/aws-eks-nodeagent/0.log":  "",
		"/var/log/pods/a-kube-system_aws-node-x7k2p_4b0c6a50-0f3d-4f0e-a1f0-9a4a0f0a3f12/aws-node/0.log":    "",
		"/var/log/pods/kube-system_my-aws-node-x7k2p_4b0c6a50-0f3d-4f0e-a1f0-9a4a0f0a3f13/aws-node/0.log":   "",
		"/var/log/pods/kube-system_aws-node-x7k2p-more_4b0c6a50-0f3d-4f0e-a1f0-9a4a0f0a3f14/aws-node/0.log": "",
	})
	want := []string{"Inapplicable IPAMDNotReady", "Inapplicable IPAMDNotRunning", "Inapplicable IPAMDRepeatedlyRestart"}
	if diff := cmp.Diff(want, states(t, addressesOf(h))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestENIs(t *testing.T) {
	for _, version := range []string{"v1.19", "v1.22"} {
		body, err := os.ReadFile("testdata/enis/" + version + ".json")
		if err != nil {
			t.Fatal(err)
		}
		all, err := parseENIs(body)
		if err != nil {
			t.Fatal(err)
		}
		want := []assigned{{address: addr("10.50.63.105")}, {address: addr("10.50.64.17"), secondary: true}}
		if !slices.Equal(all, want) {
			t.Errorf("%s: %v, not %v", version, all, want)
		}
	}
	for _, strange := range []string{"", "[]", `{"AssignedIPs":46,"ENIIPPools":{}}`} { // The last is of 2018.
		if all, err := parseENIs([]byte(strange)); err == nil {
			t.Errorf("reads %q as %v", strange, all)
		}
	}
}

func FuzzParseENIs(f *testing.F) {
	for _, version := range []string{"v1.19", "v1.22"} {
		body, err := os.ReadFile("testdata/enis/" + version + ".json")
		if err != nil {
			f.Fatal(err)
		}
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		all, err := parseENIs(body)
		if err != nil && all != nil {
			t.Error("both addresses and an error")
		}
		for _, a := range all {
			if !a.address.IsValid() {
				t.Errorf("an invalid address of %q", body)
			}
		}
	})
}

func TestAskIPAMDEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	d := ipamd{daemon: newIPAMD(hostOf(t, nil), nil), address: DefaultOptions().IPAMD}
	if _, err := d.ask(ctx, "/v1/enis"); err == nil {
		t.Error("answers after the end")
	}
}
