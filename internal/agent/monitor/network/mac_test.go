package network

import (
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/link"
)

func golden(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// udevd notes a file as the one by which it set up each link of pods.
func udevd(t *testing.T, h host.Host, file string) {
	t.Helper()
	links, err := link.List()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range links {
		if strings.HasPrefix(l.Name, vpcLink) {
			write(t, h, udevRecords+"/n"+strconv.Itoa(l.Index), strings.Replace(golden(t, "udev/n4"), "/lib/systemd/network/99-default.link", file, 1))
		}
	}
}

func TestMACAddressPolicyMisconfigured(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	const file = "/usr/lib/systemd/network/99-default.link"
	nic(t, "eni4bd1086a8e2")
	h := hostOf(t, map[string]string{aPod: "", file: golden(t, "udev/99-default.link")})
	udevd(t, h, file)
	w := watch(t, []reason.ID{reason.MACAddressPolicyMisconfigured}, briefly(macPolicy(h)))
	w.Stands(reason.MACAddressPolicyMisconfigured, file)
	write(t, h, "/etc/systemd/network/99-default.link.d/aws-cni-workaround.conf", golden(t, "udev/aws-cni-workaround.conf"))
	w.Goes(reason.MACAddressPolicyMisconfigured, file)
}

func TestMACAddressPolicies(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	const lib, etc, run = "/usr/lib/systemd/network/99-default.link", "/etc/systemd/network/", "/run/systemd/network/"
	nic(t, "eni4bd1086a8e2")
	bad := golden(t, "udev/99-default.link")
	for name, tc := range map[string]struct {
		files map[string]string
		by    string
		want  string
	}{
		"Flatcar's own file for pods' links": {map[string]string{aPod: "", etc + "50-veth.link": golden(t, "udev/50-veth.link"), lib: bad}, etc + "50-veth.link", "Well"},
		"another CNI":                        {map[string]string{lib: bad}, lib, "Inapplicable"},
		"no udev":                            {map[string]string{aPod: "", lib: bad}, "", "Inapplicable"},
		"none set":                           {map[string]string{aPod: "", lib: "[Match]\nMACAddressPolicy=persistent\n[Link]\n#MACAddressPolicy=persistent\n"}, lib, "Well"},
		"an empty one takes it back":         {map[string]string{aPod: "", lib: bad, run + "99-default.link.d/a.conf": "[Link]\nMACAddressPolicy=\n"}, lib, "Well"},
		"the last drop-in by name, once": {map[string]string{
			aPod: "", lib: bad, run + "99-default.link.d/a.conf": "[Link]\nMACAddressPolicy = persistent", etc + "99-default.link.d/a.conf": "[Link]\nMACAddressPolicy=none\n",
		}, lib, "Well"},
		"the file is not mounted": {map[string]string{aPod: ""}, lib, "Unreadable"},
	} {
		t.Run(name, func(t *testing.T) {
			h := hostOf(t, tc.files)
			if tc.by != "" {
				udevd(t, h, tc.by)
			}
			if got, want := states(t, macPolicy(h)), []string{tc.want + " MACAddressPolicyMisconfigured"}; !slices.Equal(got, want) {
				t.Errorf("%q, not %q", got, want)
			}
		})
	}
}
