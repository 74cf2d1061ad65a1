package kubeletfiles

import (
	"maps"
	"strconv"
	"strings"
)

// Eviction is how little of a disk may be free before the kubelet sets DiskPressure. The zero Eviction is none.
type Eviction struct {
	Bytes, Inodes Least
}

// Least is an amount, or a share of what there is, if that is more.
type Least struct {
	Share  float64
	Amount uint64
}

// Of is how much that is of so much.
func (l Least) Of(all uint64) uint64 { return max(l.Amount, uint64(l.Share*float64(all))) }

// hard are the kubelet's own thresholds (https://kubernetes.io/docs/concepts/scheduling-eviction/node-pressure-eviction/#hard-eviction-thresholds).
var hard = map[string]string{"nodefs.available": "10%", "imagefs.available": "15%", "nodefs.inodesFree": "5%", "imagefs.inodesFree": "5%"}

// Eviction is the highest of the hard thresholds of the kubelet's filesystem and of that of images, which often are one. A
// configuration that names any leaves the defaults of others out, unless it says to keep them.
func (c Config) Eviction() Eviction {
	signals := hard
	if c.EvictionHard != nil {
		signals = map[string]string{}
		if c.MergeDefaultEvictionSettings {
			maps.Copy(signals, hard)
		}
		maps.Copy(signals, c.EvictionHard)
	}
	var e Eviction
	for signal, threshold := range signals {
		switch l := parseLeast(threshold); signal {
		case "nodefs.available", "imagefs.available", "containerfs.available":
			e.Bytes = Least{max(e.Bytes.Share, l.Share), max(e.Bytes.Amount, l.Amount)}
		case "nodefs.inodesFree", "imagefs.inodesFree", "containerfs.inodesFree":
			e.Inodes = Least{max(e.Inodes.Share, l.Share), max(e.Inodes.Amount, l.Amount)}
		}
	}
	return e
}

// units of quantities, those of two letters first
// (https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/).
var units = []struct {
	suffix string
	size   float64
}{
	{"Ki", 1 << 10}, {"Mi", 1 << 20}, {"Gi", 1 << 30}, {"Ti", 1 << 40}, {"k", 1e3}, {"M", 1e6}, {"G", 1e9}, {"T", 1e12}, {"", 1},
}

// parseLeast reads "10%" or "1Gi". What it cannot read is none, so that nothing is taken to be said by the kubelet.
func parseLeast(text string) Least {
	if number, is := strings.CutSuffix(text, "%"); is {
		share, err := strconv.ParseFloat(number, 64)
		if err != nil || !(share >= 0 && share <= 100) {
			return Least{}
		}
		return Least{Share: share / 100}
	}
	for _, unit := range units {
		number, is := strings.CutSuffix(text, unit.suffix)
		if !is {
			continue
		}
		amount, err := strconv.ParseFloat(number, 64)
		if err != nil || !(amount >= 0 && amount*unit.size < 1<<60) {
			return Least{}
		}
		return Least{Amount: uint64(amount * unit.size)}
	}
	return Least{}
}
