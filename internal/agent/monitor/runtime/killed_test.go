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

func FuzzParseStat(f *testing.F) {
	f.Add("4711 (dd) D 1 4711 4711 0 -1 4194304 98 0 0 0 0 0 0 0 20 0 1 0 3321 2703360 217 18446744073709551615")
	f.Add("77 (a) b) (c) Z 1 77 77 0 -1 4228108 98 0 0 0 0 0 0 0 20 0 3 0 3321 0 0 0")
	f.Fuzz(func(t *testing.T, line string) {
		if s, err := parseStat(line); err == nil && s.state == 0 {
			t.Errorf("%q: read without a state", line)
		}
		killPending([]byte(line))
	})
}
