package storage

import (
	"slices"
	"time"
)

const (
	// sampleInterval is the time between samples.
	sampleInterval = 5 * time.Minute
	// sampleWindow is for how long samples are kept, and minWindow the least time that they must cover.
	sampleWindow = 2 * time.Hour
	minWindow    = time.Hour
	// minSamples is the least number of samples: each half of them has five.
	minSamples = 10
	// recentWindow is for how long a cleanup does not count yet, and the time over which the present use is the highest value.
	recentWindow = 30 * time.Minute
	// cleanupMemory is for how long the use before a cleanup is kept.
	cleanupMemory = 24 * time.Hour
)

// trend is the use of a filesystem, in bytes or inodes, over time.
type trend struct {
	samples []sample
	// cleanupDrop is by how much use must fall for that to be a cleanup.
	cleanupDrop uint64
	// peak is the most that was in use since the last cleanup, peaksBefore that before each earlier one.
	peak        uint64
	peaksBefore []sample
}

// sample is how much was in use at a time.
type sample struct {
	at   time.Time
	used uint64
}

// add adds a sample. Much less use than before is a cleanup: images that the kubelet deletes, a rotation of logs, files that a person deletes.
func (t *trend) add(now sample) {
	if n := len(t.samples); n > 0 && now.at.Before(t.samples[n-1].at) {
		*t = trend{cleanupDrop: t.cleanupDrop} // The clock was set back: the time between the samples is unknown.
	}
	old := func(within time.Duration) func(sample) bool {
		return func(s sample) bool { return now.at.Sub(s.at) > within }
	}
	t.samples = append(slices.DeleteFunc(t.samples, old(sampleWindow)), now)
	t.peaksBefore = slices.DeleteFunc(t.peaksBefore, old(cleanupMemory))
	if t.peak > now.used && t.peak-now.used >= t.cleanupDrop {
		t.peaksBefore = append(t.peaksBefore, sample{now.at, t.peak})
		t.peak = now.used
	}
	t.peak = max(t.peak, now.used)
}

// known says whether there are samples enough for a rate.
func (t *trend) known() bool {
	n := len(t.samples)
	return n >= minSamples && t.samples[n-1].at.Sub(t.samples[0].at) >= minWindow
}

// rate is by how much use grows in a second. It is zero if use does not grow all the time, if it is below a level at which there was a cleanup
// before, and if there are too few samples.
//
// Growth that was undone does not count: each sample counts as the least of itself and those after it. Of each half of the samples the slope is
// the median of those between any two (Theil and Sen), which few samples cannot change; and the smaller of both slopes is the rate, so that
// neither growth that has stopped nor one that has just begun, such as an image being unpacked, is extrapolated.
func (t *trend) rate() float64 {
	if !t.known() || t.belowPeak() {
		return 0
	}
	kept := slices.Clone(t.samples)
	for i := len(kept) - 2; i >= 0; i-- {
		kept[i].used = min(kept[i].used, kept[i+1].used)
	}
	middle := len(kept) / 2
	return min(slope(kept[:middle]), slope(kept[middle:]))
}

// belowPeak says whether use is hardly more than it was before an earlier cleanup. One within recentWindow does not count: where each cleanup is
// at a higher use than the one before, use is always at such a level.
func (t *trend) belowPeak() bool {
	now := t.samples[len(t.samples)-1].at
	var most uint64
	for _, s := range t.samples {
		if now.Sub(s.at) <= recentWindow {
			most = max(most, s.used)
		}
	}
	return slices.ContainsFunc(t.peaksBefore, func(s sample) bool { return now.Sub(s.at) > recentWindow && most <= s.used+t.cleanupDrop })
}

// slope is the median of the slopes between any two samples, in a second.
func slope(samples []sample) float64 {
	var slopes []float64
	for i, a := range samples {
		for _, b := range samples[i+1:] {
			if seconds := b.at.Sub(a.at).Seconds(); seconds > 0 {
				slopes = append(slopes, (float64(b.used)-float64(a.used))/seconds)
			}
		}
	}
	if len(slopes) == 0 {
		return 0
	}
	slices.Sort(slopes)
	return slopes[len(slopes)/2]
}
