package addresses

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestHeld compares with the tables of the VPC CNI's own documentation.
func TestHeld(t *testing.T) {
	for name, tc := range map[string]struct {
		settings                       Settings
		pods, interfaces, perInterface int
		want                           int
	}{
		// docs/eni-and-ip-target.md: a p3dn.24xlarge has 15 interfaces of 50 addresses. 98 and 10 of them are for pods.
		"defaults, 3 pods":                  {Settings{WarmENI: 1}, 3, 15, 50, 98 + 2},
		"defaults, no pod":                  {Settings{WarmENI: 1}, 0, 15, 50, 49 + 1},
		"defaults, one interface of pods":   {Settings{WarmENI: 1}, 49, 15, 50, 98 + 2},
		"defaults, one pod more":            {Settings{WarmENI: 1}, 50, 15, 50, 147 + 3},
		"WARM_IP_TARGET and the minimum":    {Settings{WarmENI: 1, WarmIP: 5, MinimumIP: 10}, 3, 15, 50, 10 + 1},
		"more pods than the minimum":        {Settings{WarmENI: 1, WarmIP: 5, MinimumIP: 10}, 50, 15, 50, 55 + 2},
		"no more than the type allows":      {Settings{WarmENI: 1}, 29, 3, 10, 30},
		"prefixes":                          {Settings{Prefixes: true, WarmPrefix: 1}, 17, 3, 10, 3*16 + 1},
		"prefixes and WARM_IP_TARGET":       {Settings{Prefixes: true, WarmPrefix: 1, WarmIP: 1}, 16, 3, 10, 2*16 + 1},
		"prefixes, more than one interface": {Settings{Prefixes: true, WarmPrefix: 1}, 9 * 16, 3, 10, 10*16 + 2},
		"an unknown type":                   {Settings{WarmENI: 1}, 3, 0, 0, 0},
		"no warm pool":                      {Settings{}, 0, 3, 10, 10},
	} {
		t.Run(name, func(t *testing.T) {
			if got := tc.settings.held(tc.pods, tc.interfaces, tc.perInterface); got != tc.want {
				t.Errorf("%d addresses, want %d", got, tc.want)
			}
		})
	}
}

func TestSizeOf(t *testing.T) {
	for cidr, want := range map[string]int64{
		"10.0.1.0/24": 251, "10.0.1.7/24": 251, "10.0.0.0/16": 65531, "10.0.0.16/28": 11,
		"10.0.0.0/8": 0, "10.0.0.0/29": 0, "0.0.0.0/0": 0, "10.0.0/24": 0, "2001:db8::/56": 0, "::ffff:10.0.0.0/120": 0, "": 0, "nonsense": 0,
	} {
		if _, got, valid := sizeOf(cidr); got != want || valid != (want > 0) {
			t.Errorf("%q has %d addresses (%t), want %d", cidr, got, valid, want)
		}
	}
}

func TestInstanceID(t *testing.T) {
	got := map[string]string{}
	for _, id := range []string{"aws:///us-east-1a/i-0123456789abcdef0", "aws:///us-east-1a/x/fargate-ip-10-0-0-1", "gce://p/z/i-1", "", "aws://"} {
		got[id] = InstanceID(id)
	}
	want := map[string]string{
		"aws:///us-east-1a/i-0123456789abcdef0": "i-0123456789abcdef0", "aws:///us-east-1a/x/fargate-ip-10-0-0-1": "", "gce://p/z/i-1": "", "": "", "aws://": "",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}
