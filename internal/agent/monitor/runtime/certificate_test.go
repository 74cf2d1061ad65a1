package runtime

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/pem"
	"fmt"
	"math/big"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/kubeletfiles"
)

var midday = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const day = 24 * time.Hour

// issue makes a certificate and its key as PEM, as the kubelet keeps them in one file.
func issue(t *testing.T, begins, ends time.Time, authority bool) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "system:node:n", Organization: []string{"system:nodes"}},
		NotBefore: begins, NotAfter: ends, IsCA: authority, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})) + string(pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: secret}))
}

const (
	kubeconfigAt = "/etc/kubernetes/kubelet.conf"
	currentAt    = "/var/lib/kubelet/pki/kubelet-client-current.pem"
	writtenAt    = "/var/lib/kubelet/pki/kubelet-client-2026-01-01-00-00-00.pem"
)

// naming is a kubeconfig whose user is this.
func naming(user string) string {
	return "current-context: c\ncontexts: [{name: c, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: 'https://x'}}]\nusers: [{name: u, user: {" + user + "}}]\n"
}

// lookAtCertificate is what one look says, as "State: what was read".
func lookAtCertificate(t *testing.T, c *certificate) string {
	t.Helper()
	found, err := c.find(t.Context())
	switch {
	case err != nil:
		return "Unreadable: " + err.Error()
	case len(found) == 0:
		return "Well"
	case len(found) != 1 || found[0].Reason != reason.KubeletClientCertificateExpiration:
		t.Fatalf("it tells %+v", found)
	}
	return fmt.Sprintf("%s: %s", found[0].State, found[0].Raw)
}

func TestKubeletClientCertificate(t *testing.T) {
	const year = 365 * day
	named := naming("client-certificate: " + currentAt + ", client-key: " + currentAt)
	good := issue(t, midday.Add(-100*day), midday.Add(year-100*day), false)
	late := issue(t, midday.Add(35*day-year), midday.Add(35*day), false)
	over := issue(t, midday.Add(-year), midday.Add(-time.Second), false)
	authority := issue(t, midday.Add(-year), midday.Add(-time.Second), true)
	inData := func(text string) string {
		return "client-certificate-data: " + base64.StdEncoding.EncodeToString([]byte(text))
	}
	args := []string{"--kubeconfig=" + kubeconfigAt, "--config=/x"}
	pki := func(pem string) map[string]string {
		return map[string]string{kubeconfigAt: named, currentAt: "->" + writtenAt, writtenAt: pem}
	}
	for name, tc := range map[string]struct {
		cgroup string
		args   []string
		files  map[string]string
		want   string
	}{
		"young":                         {files: pki(good), want: "Well"},
		"a tenth is left":               {files: pki(issue(t, midday.Add(-90*day), midday.Add(10*day), false)), want: "Well"},
		"less is left":                  {files: pki(late), want: "Fault: the certificate of system:node:n ends 2026-12-26T12:00:00Z and was not renewed"},
		"of a day":                      {files: pki(issue(t, midday.Add(-22*time.Hour), midday.Add(2*time.Hour), false)), want: "Fault: the certificate of system:node:n ends 2026-11-21T14:00:00Z"},
		"ten years, one of them left":   {files: pki(issue(t, midday.Add(-9*year), midday.Add(year-day), false)), want: "Well"},
		"over":                          {files: pki(over), want: "Fault: the certificate of system:node:n ended 2026-11-21T11:59:59Z"},
		"begins tomorrow":               {files: pki(issue(t, midday.Add(day), midday.Add(year), false)), want: "Unreadable: " + currentAt + ": the certificate of system:node:n begins 2026-11-22T12:00:00Z, which is to come: a clock is wrong"},
		"its chain ends before it":      {files: pki(good + authority), want: "Well"},
		"an authority in its place":     {files: pki(authority), want: "Unreadable: " + currentAt + ": its first certificate is an authority's"},
		"an authority before it":        {files: pki(authority + good), want: "Unreadable: " + currentAt + ": its first certificate is an authority's"},
		"the key alone":                 {files: pki(strings.SplitAfter(good, "END CERTIFICATE-----")[1]), want: "Unreadable: " + currentAt + ": there is no certificate in it"},
		"empty":                         {files: pki(""), want: "Unreadable: " + currentAt + ": there is no certificate in it"},
		"cut off":                       {files: pki(good[:200]), want: "Unreadable: " + currentAt + ": there is no certificate in it"},
		"not DER":                       {files: pki("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"), want: "Unreadable: " + currentAt + ": x509"},
		"large without end":             {files: pki(strings.Repeat("x", 1<<20+1)), want: "Unreadable: read " + currentAt + ": it has more than"},
		"a link to itself":              {files: map[string]string{kubeconfigAt: named, currentAt: "->" + currentAt}, want: "Unreadable: read " + currentAt + ": " + currentAt + ": too many levels"},
		"links to each other":           {files: map[string]string{kubeconfigAt: "->other", "/etc/kubernetes/other": "->../kubernetes/kubelet.conf"}, want: "Unreadable: read " + kubeconfigAt + ": " + kubeconfigAt + ": too many levels"},
		"a link out of the root":        {files: map[string]string{kubeconfigAt: named, currentAt: "->../../../../../../../../../../../pki.pem", "/pki.pem": late}, want: "Fault: the certificate of system:node:n ends"},
		"a device":                      {files: map[string]string{kubeconfigAt: named, currentAt + "/x": ""}, want: "Unreadable: read " + currentAt + ": it is no regular file"},
		"gone":                          {files: map[string]string{kubeconfigAt: named}, want: "Unreadable: read " + currentAt + ": no such file"},
		"no kubeconfig yet":             {files: map[string]string{}, want: "Unreadable: read " + kubeconfigAt + ": no such file"},
		"a broken kubeconfig":           {files: map[string]string{kubeconfigAt: "{"}, want: "Unreadable: kubeconfig " + kubeconfigAt},
		"relative to the kubeconfig":    {files: map[string]string{kubeconfigAt: naming("client-certificate: pki/c.crt"), "/etc/kubernetes/pki/c.crt": late}, want: "Fault: "},
		"within the kubeconfig":         {files: map[string]string{kubeconfigAt: naming(inData(late))}, want: "Fault: "},
		"within, and renewed since":     {files: map[string]string{kubeconfigAt: naming(inData(over)), currentAt: good}, want: "Well"},
		"within, an old one in pki":     {files: map[string]string{kubeconfigAt: naming(inData(good)), currentAt: over}, want: "Well"},
		"within, renewed in cert-dir":   {args: []string{"--kubeconfig", kubeconfigAt, "--cert-dir", "/pki"}, files: map[string]string{kubeconfigAt: naming(inData(over)), "/pki/kubelet-client-current.pem": good}, want: "Well"},
		"no base64":                     {files: map[string]string{kubeconfigAt: naming("client-certificate-data: '%'")}, want: "Unreadable: kubeconfig " + kubeconfigAt + ": illegal base64"},
		"a command, as on EKS":          {files: map[string]string{kubeconfigAt: naming("exec: {command: aws-iam-authenticator}")}, want: "Inapplicable: a command gives the kubelet a token"},
		"a token":                       {files: map[string]string{kubeconfigAt: naming("tokenFile: /x")}, want: "Inapplicable: " + kubeconfigAt + " names no client certificate"},
		"no API server":                 {args: []string{"--config=/x"}, want: "Inapplicable: the kubelet has no --kubeconfig"},
		"a pod's process of that name":  {cgroup: "0::/../../kubepods-burstable-podx.slice/cri-containerd-1.scope\n", files: pki(over), want: "Inapplicable: no kubelet runs here"},
		"with one hyphen, and twice":    {args: []string{"-kubeconfig=/other", "-kubeconfig", kubeconfigAt}, files: pki(late), want: "Fault: "},
		"a flag of nearly the name":     {args: []string{"--bootstrap-kubeconfig=" + kubeconfigAt}, files: pki(late), want: "Inapplicable: the kubelet has no --kubeconfig"},
		"a flag whose value is missing": {args: []string{"--kubeconfig"}, files: pki(late), want: "Inapplicable: the kubelet has no --kubeconfig"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.cgroup == "" {
				tc.cgroup = agenttest.KubeletGroup
			}
			if tc.args == nil {
				tc.args = args
			}
			h := agenttest.KubeletHost(t, tc.cgroup, tc.args, tc.files)
			c := &certificate{finder: kubeletfiles.Finder{Host: h}, clock: clocktesting.NewFakePassiveClock(midday)}
			if got := lookAtCertificate(t, c); !strings.HasPrefix(got, tc.want) {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
}

// A certificate comes near its end, ends while the kubelet does not run for it, and is renewed.
func TestKubeletClientCertificateIsRenewed(t *testing.T) {
	h := agenttest.KubeletHost(t, agenttest.KubeletGroup, []string{"--kubeconfig", kubeconfigAt}, map[string]string{
		kubeconfigAt: naming("client-certificate: " + currentAt), writtenAt: issue(t, midday, midday.Add(100*day), false), currentAt: "->" + writtenAt,
	})
	now := clocktesting.NewFakePassiveClock(midday.Add(89 * day))
	c := &certificate{finder: kubeletfiles.Finder{Host: h}, clock: now}
	var got []string
	look := func() { got = append(got, strings.Split(lookAtCertificate(t, c), " ")[0]) }
	look()
	now.SetTime(midday.Add(91 * day))
	look()
	now.SetTime(midday.Add(101 * day))
	if err := os.Rename(h.Path("/proc/77"), h.Path("/gone")); err != nil {
		t.Fatal(err)
	}
	look()
	if err := os.WriteFile(h.Path("/gone/cmdline"), nil, 0o600); err != nil { // As of a process that is ending.
		t.Fatal(err)
	}
	if err := os.Rename(h.Path("/gone"), h.Path("/proc/77")); err != nil {
		t.Fatal(err)
	}
	look()
	if err := os.WriteFile(h.Path("/proc/77/cmdline"), []byte("kubelet\x00--kubeconfig\x00"+kubeconfigAt+"\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(h.Path("/proc/77"), h.Path("/proc/78")); err != nil { // It was started again.
		t.Fatal(err)
	}
	root, err := filepath.EvalSymlinks(h.Path("/proc/78/root"))
	if err != nil {
		t.Fatal(err)
	}
	const next = "/var/lib/kubelet/pki/kubelet-client-2026-04-01-00-00-00.pem"
	for _, err := range []error{
		os.WriteFile(filepath.Join(root, next), []byte(issue(t, midday.Add(100*day), midday.Add(200*day), false)), 0o600),
		os.Remove(filepath.Join(root, currentAt)), os.Symlink(next, filepath.Join(root, currentAt)),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	look()
	if want := []string{"Well", "Fault:", "Fault:", "Fault:", "Well"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// K3s runs the kubelet within itself, and says elsewhere what it is configured with.
func TestKubeletClientCertificateOfK3s(t *testing.T) {
	const kubeconfig, own = "/agent/kubelet.kubeconfig", "/agent/client-kubelet.crt"
	over := issue(t, midday.Add(-day), midday, false)
	for folder, args := range map[string][]string{
		"/var/lib/rancher/k3s": {"server", "--config=/etc/rancher/k3s/config.yaml"}, "/data": {"agent", "--data-dir", "/data", "--kubeconfig=/x"},
	} {
		h := agenttest.KubeletHost(t, "0::/../../system.slice/k3s-agent.service\n", args, map[string]string{
			folder + kubeconfig: naming("client-certificate: " + folder + own), folder + own: over,
		})
		c := &certificate{finder: kubeletfiles.Finder{Host: h}, clock: clocktesting.NewFakePassiveClock(midday)}
		for name, want := range map[string]string{"k3s-agent": "Fault: the certificate of system:node:n ended", "k3s-server": "Fault: ", "containerd": "Inapplicable: no kubelet runs here"} {
			if err := os.WriteFile(h.Path("/proc/77/comm"), []byte(name+"\n"), 0o600); err != nil {
				t.Fatal(err)
			}
			c.finder = kubeletfiles.Finder{Host: h}
			if got := lookAtCertificate(t, c); !strings.HasPrefix(got, want) {
				t.Errorf("%s: %s, want %s", name, got, want)
			}
		}
	}
}

// Without the right to look into the root folders of processes it is not known, and said why.
func TestKubeletClientCertificateUnseen(t *testing.T) {
	h := agenttest.KubeletHost(t, agenttest.KubeletGroup, []string{"--kubeconfig=" + kubeconfigAt}, nil)
	if err := os.Remove(h.Path("/proc/77/root")); err != nil {
		t.Fatal(err)
	}
	c := &certificate{finder: kubeletfiles.Finder{Host: h}, clock: clocktesting.NewFakePassiveClock(midday)}
	want := "Unreadable: read " + kubeconfigAt + ": no such file or directory, and the kubelet's own root folder may not be looked into (SYS_PTRACE): "
	if got := lookAtCertificate(t, c); !strings.HasPrefix(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}

// The files of a kubelet that sees another root folder than the agent are read through its process, links and all.
func TestKubeletClientCertificateOfAProcess(t *testing.T) {
	agenttest.Need(t, agenttest.Root)
	root := t.TempDir()
	itself, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		"/usr/bin/kubelet": string(itself), kubeconfigAt: naming("client-certificate: " + currentAt), writtenAt: issue(t, midday.Add(-day), midday, false),
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, path), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(writtenAt, filepath.Join(root, currentAt)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(root, "fifo"), 0o600); err != nil { // It waits for a reader.
		t.Fatal(err)
	}
	process := exec.CommandContext(t.Context(), "/usr/bin/kubelet", "--kubeconfig", kubeconfigAt)
	process.Env, process.SysProcAttr = []string{writes + "=/fifo"}, &syscall.SysProcAttr{Chroot: root}
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = process.Process.Kill(); _ = process.Wait() })
	pid := strconv.Itoa(process.Process.Pid)
	top := hierarchies()[0]
	group := filepath.Join(top, agenttest.Cgroup(t, ".slice", top), "kubelet.service")
	if err := os.Mkdir(group, 0o755); err != nil {
		t.Fatal(err)
	}
	h := host.Host{Root: t.TempDir()} // Other processes are other tests'.
	if err := os.MkdirAll(h.Path("/proc"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/proc/"+pid, h.Path("/proc/"+pid)); err != nil {
		t.Fatal(err)
	}
	c := &certificate{finder: kubeletfiles.Finder{Host: h}, clock: clocktesting.NewFakePassiveClock(midday)}
	if got := lookAtCertificate(t, c); !strings.HasPrefix(got, "Inapplicable: no kubelet") {
		t.Errorf("outside the kubelet's cgroup: %s", got)
	}
	if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(pid), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := lookAtCertificate(t, c), "Fault: the certificate of system:node:n ended 2026-11-21T12:00:00Z"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What is written while it is read is read again, and not without end.
func TestCertificateReplacedWhileRead(t *testing.T) {
	good := issue(t, midday, midday.Add(day), false)
	half, less := good[:200], good[:100]
	for name, tc := range map[string]struct {
		reads []string
		want  string
	}{
		"once":          {reads: []string{half, good}},
		"twice":         {reads: []string{less, half, good}},
		"it stays half": {reads: []string{half, half, good}, want: "there is no certificate in it"},
		"for ever":      {reads: []string{"", half, less, half, less, half, less, half, good}, want: "it changes while it is read"},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(string) ([]byte, error) {
				text := []byte(tc.reads[0])
				tc.reads = tc.reads[1:]
				return text, nil
			}
			_, err := readCertificate(read, "c.pem")
			if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
				t.Errorf("%v, want %q", err, tc.want)
			}
		})
	}
}
