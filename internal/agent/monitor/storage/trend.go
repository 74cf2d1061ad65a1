package storage

import (
	"slices"
	"time"
)

const (
	// apart is the time between samples.
	apart = 5 * time.Minute
	// remembered is for how long samples tell, and evidenced how long they must reach back to tell anything.
	remembered = 2 * time.Hour
	evidenced  = time.Hour
	// fewest is how many samples tell anything: with those, each half of them has five.
	fewest = 10
	// recent is for how long a cleaning is no measure yet, and how far back the most that is in use now is looked for.
	recent = 30 * time.Minute
	// cleanings is for how long it is remembered up to where something let a filesystem fill up before it deleted.
	cleanings = 24 * time.Hour
)

// trend is how the use of a filesystem, in bytes or inodes, has gone.
type trend struct {
	samples []sample
	// cleaning is by how much less use is one.
	cleaning uint64
	// peak is the most that was in use since the last cleaning, cleaned what that was before each.
	peak    uint64
	cleaned []sample
}

// sample is how much was in use at a time.
type sample struct {
	at   time.Time
	used uint64
}

// add takes in a sample. Much less use than before is a cleaning: the kubelet's of images, a rotation of logs, somebody's rm.
func (t *trend) add(now sample) {
	if n := len(t.samples); n > 0 && now.at.Before(t.samples[n-1].at) {
		*t = trend{cleaning: t.cleaning} // A clock was put back: how far the samples are apart is not known.
	}
	old := func(within time.Duration) func(sample) bool {
		return func(s sample) bool { return now.at.Sub(s.at) > within }
	}
	t.samples = append(slices.DeleteFunc(t.samples, old(remembered)), now)
	t.cleaned = slices.DeleteFunc(t.cleaned, old(cleanings))
	if t.peak > now.used && t.peak-now.used >= t.cleaning {
		t.cleaned = append(t.cleaned, sample{now.at, t.peak})
		t.peak = now.used
	}
	t.peak = max(t.peak, now.used)
}

// known says whether the samples tell anything.
func (t *trend) known() bool {
	n := len(t.samples)
	return n >= fewest && t.samples[n-1].at.Sub(t.samples[0].at) >= evidenced
}

// rate is by how much use grows in a second. It is zero of use that does not grow all the time, that stays below where something
// cleaned up before, and if that is not known yet.
//
// Growth that was taken back does not count: a sample counts as the least of those from it on. Of each half of the samples the slope is
// the median of those between any two (Theil and Sen), which no few samples move; and the half that grows less decides, so that
// neither what has stopped nor what has only begun, as an image being unpacked, is taken to go on.
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

// belowPeak says that use is hardly more than it was before something cleaned up. A cleaning just now says nothing yet: where each is at
// a higher use than the one before, it is always at a peak.
func (t *trend) belowPeak() bool {
	now := t.samples[len(t.samples)-1].at
	var most uint64
	for _, s := range t.samples {
		if now.Sub(s.at) <= recent {
			most = max(most, s.used)
		}
	}
	return slices.ContainsFunc(t.cleaned, func(s sample) bool { return now.Sub(s.at) > recent && most <= s.used+t.cleaning })
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
