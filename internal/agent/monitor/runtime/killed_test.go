package runtime

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseStat(t *testing.T) {
	for line, want := range map[string]stat{
		"4711 (dd) D 1 4711 4711 0 -1 4194304 98 0 0 0 0 0 0 0 20 0 1 0 3321 2703360 217 18446744073709551615": {
			command: "dd", state: 'D', threads: 1,
		},
		"77 (a) b) (c) Z 1 77 77 0 -1 4228108 98 0 0 0 0 0 0 0 20 0 3 0 3321 0 0 0": {command: "a) b) (c", state: 'Z', exiting: true, threads: 3},
	} {
		got, err := parseStat(line)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(stat{})); diff != "" || err != nil {
			t.Errorf("%s: %v\n%s", line, err, diff)
		}
	}
	for _, line := range []string{"", "77", "77 (a", "77 (a) ", "77 (a) D 1 2", "77 (a) D 1 77 77 0 -1 x 98 0 0 0 0 0 0 0 20 0 3 0"} {
		if got, err := parseStat(line); err == nil {
			t.Errorf("%q: %+v", line, got)
		}
	}
}

func TestKillPending(t *testing.T) {
	for status, want := range map[string]bool{
		"Name:\tdd\nSigPnd:\t0000000000000100\nShdPnd:\t0000000000000000\n": true,
		"Name:\tdd\nSigPnd:\t0000000000000000\nShdPnd:\t0000000000004100\n": true,
		"Name:\tdd\nSigPnd:\t0000000000000000\nShdPnd:\t0000000000004000\n": false, // SIGTERM
		"SigBlk:\t0000000000000100\n":                                       false,
		"SigPnd:\tx\n":                                                      false,
		"":                                                                  false,
	} {
		if got := killPending([]byte(status)); got != want {
			t.Errorf("%q: %v", status, got)
		}
	}
}

// The cgroups of pods as kubelets name them, with either driver, in cgroup v1 and v2, and seen from inside a container.
func TestPodOf(t *testing.T) {
	const id = "8738023dc614cb79adb33ce0b8ad30c3b369b6edfdd68eaeda0150e57205d0f1"
	for cgroup, want := range map[string]string{
		"0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod9fb595e2_4a29_4c8e_baba_05b0decd3ce1.slice/cri-containerd-" + id + ".scope\n": "9fb595e2-4a29-4c8e-baba-05b0decd3ce1",
		"0::/kubepods.slice/kubepods-pod9fb595e2_4a29_4c8e_baba_05b0decd3ce1.slice/crio-" + id + ".scope\n":                                              "9fb595e2-4a29-4c8e-baba-05b0decd3ce1",
		"0::/kubepods/besteffort/pod9fb595e2-4a29-4c8e-baba-05b0decd3ce1/" + id + "\n":                                                                   "9fb595e2-4a29-4c8e-baba-05b0decd3ce1",
		"11:pids:/kubepods/besteffort/pod9fb595e2-4a29-4c8e-baba-05b0decd3ce1/" + id + "\n10:cpuset:/\n":                                                 "9fb595e2-4a29-4c8e-baba-05b0decd3ce1",
		"0::/../../kubepods-burstable-pod040476ba7586efa8b66c57331451b5fa.slice/cri-containerd-" + id + ".scope\n":                                       "040476ba7586efa8b66c57331451b5fa",
		"0::/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-pod9fb595e2_4a29_4c8e_baba_05b0decd3ce1.slice/cri-containerd-" + id + ".scope\n":      "9fb595e2-4a29-4c8e-baba-05b0decd3ce1",
		"0::/system.slice/kubelet.service\n":                      "",
		"0::/machine.slice/libpod-" + id + ".scope/container\n":   "",
		"0::/user.slice/user-0.slice/session-1.scope\n11:cpu:/\n": "",
	} {
		if got := podOf([]byte(cgroup)); got != want {
			t.Errorf("%s: %q", cgroup, got)
		}
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add("4711 (dd) D 1 4711 4711 0 -1 4194304 98 0 0 0 0 0 0 0 20 0 1 0 3321 2703360 217 18446744073709551615")
	f.Add("77 (a) b) (c) Z 1 77 77 0 -1 4228108 98 0 0 0 0 0 0 0 20 0 3 0 3321 0 0 0")
	f.Fuzz(func(t *testing.T, line string) {
		if s, err := parseStat(line); err == nil && s.state == 0 {
			t.Errorf("%q: read without a state", line)
		}
		killPending([]byte(line))
		podOf([]byte(line))
	})
}
