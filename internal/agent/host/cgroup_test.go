package host

import "testing"

func TestGroupOf(t *testing.T) {
	for line, want := range map[string]string{
		"0::/system.slice/kubelet.service\n":       "system.slice/kubelet.service",
		"0::/../../system.slice/kubelet.service\n": "system.slice/kubelet.service",
		"1:name=systemd:/init.scope\n":             "init.scope",
		"0::/\n":                                   "",
		"":                                         "",
		"0::/system.slice/a:b.service\n":           "system.slice/a:b.service",
		"0::/kubepods/../system.slice/kubelet.service\n": "kubepods/../system.slice/kubelet.service",
	} {
		if got := groupOf(line); got != want {
			t.Errorf("%q is of %q, want %q", line, got, want)
		}
	}
}
