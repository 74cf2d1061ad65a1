package kubeletfiles

import "testing"

func TestEviction(t *testing.T) {
	const all = 100 << 30
	for name, tc := range map[string]struct {
		c             Config
		bytes, inodes uint64
	}{
		"the kubelet's own":     {Config{}, all * 15 / 100, all * 5 / 100},
		"nothing":               {Config{EvictionHard: map[string]string{}}, 0, 0},
		"of memory alone":       {Config{EvictionHard: map[string]string{"memory.available": "100Mi"}}, 0, 0},
		"as on EKS":             {Config{EvictionHard: map[string]string{"memory.available": "100Mi", "nodefs.available": "10%", "nodefs.inodesFree": "5%"}}, all / 10, all / 20},
		"amounts":               {Config{EvictionHard: map[string]string{"nodefs.available": "1.5Gi", "imagefs.available": "20G", "nodefs.inodesFree": "5k"}}, 20e9, 5000},
		"the more of both":      {Config{EvictionHard: map[string]string{"nodefs.available": "50Gi", "imagefs.available": "15%"}}, 50 << 30, 0},
		"merged":                {Config{EvictionHard: map[string]string{"imagefs.available": "20%"}, MergeDefaultEvictionSettings: true}, all / 5, all / 20},
		"what nobody can read":  {Config{EvictionHard: map[string]string{"nodefs.available": "ten", "imagefs.available": "200%", "nodefs.inodesFree": "-5"}}, 0, 0},
		"not a number, and all": {Config{EvictionHard: map[string]string{"nodefs.available": "NaN%", "imagefs.available": "NaN", "nodefs.inodesFree": "1e30"}}, 0, 0},
	} {
		e := tc.c.Eviction()
		near := func(a, b uint64) bool { return max(a, b)-min(a, b) <= 1 } // Shares are not whole.
		if !near(e.Bytes.Of(all), tc.bytes) || !near(e.Inodes.Of(all), tc.inodes) {
			t.Errorf("%s: %d bytes and %d inodes, want %d and %d", name, e.Bytes.Of(all), e.Inodes.Of(all), tc.bytes, tc.inodes)
		}
	}
}
