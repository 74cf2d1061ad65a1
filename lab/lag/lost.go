package lag

import "time"

// sample is what is known of the machine at a moment.
type sample struct {
	// at is compared by the monotonic clock, so that a clock that is set changes nothing.
	at time.Time
	// usage is nil where it cannot be read.
	usage *usage
}

// usage is CPU time, each counted from some moment in the past.
type usage struct {
	processors int
	// all is what every process of the machine has used, own what this process and its descendants have.
	all, own time.Duration
	// stolen is what a hypervisor has given to other machines while processors of this one had work.
	stolen time.Duration
	// threads are this process's, by their IDs.
	threads map[int]thread
}

// thread is how long a thread has run, and how long it has been ready to run and has waited for a processor.
type thread struct{ ran, waited time.Duration }

// A loss below these is how a machine ordinarily is, and does not count.
const (
	// ordinaryLateness is of a timer.
	ordinaryLateness = 50 * time.Millisecond
	// ordinaryWait is the part of the time between two samples, as one in so many.
	ordinaryWait = 50
)

// lost is how much of the time between two samples this process has lost to others. due is when a timer should have
// fired that was set beforehand.
//
// A timer that fires late shows that the process stood still. Threads that wait for a processor show that it was slow.
// Both at once are one loss, and neither is one as far as this process or its descendants used the processors themselves.
func lost(before, after sample, due time.Time) time.Duration {
	elapsed := after.at.Sub(before.at)
	if due.Before(before.at) {
		due = before.at
	}
	stopped, waited := after.at.Sub(due), time.Duration(0)
	if before.usage != nil && after.usage != nil {
		u := after.usage.since(*before.usage)
		stopped = min(stopped, elapsed-u.own/time.Duration(max(u.processors, 1)))
		waited = u.waited(elapsed)
	}
	if stopped < ordinaryLateness {
		stopped = 0
	}
	if waited < elapsed/ordinaryWait {
		waited = 0
	}
	return max(stopped, waited)
}

// since is what was used after an earlier reading.
func (u usage) since(before usage) usage {
	used := usage{
		processors: u.processors,
		all:        max(0, u.all-before.all), own: max(0, u.own-before.own), stolen: max(0, u.stolen-before.stolen),
		threads: map[int]thread{},
	}
	for id, t := range u.threads {
		was := before.threads[id]
		used.threads[id] = thread{ran: max(0, t.ran-was.ran), waited: max(0, t.waited-was.waited)}
	}
	return used
}

// waited is how much later this process is for having waited, of the elapsed time in which u was used. Who used the
// processors is who it waited for: the part that counts is that of others. While a descendant held a processor, it waited for
// that. Threads may wait at the same time; it is no later than all their waiting together, and no later than if it had wanted
// a processor throughout.
func (u usage) waited(elapsed time.Duration) time.Duration {
	var ran, waited float64
	for _, t := range u.threads {
		ran, waited = ran+t.ran.Seconds(), waited+t.waited.Seconds()
	}
	if u.all <= 0 || ran <= 0 {
		return 0
	}
	passed := elapsed.Seconds()
	others := max(0, u.all-u.own).Seconds()
	descendants := max(0, u.own.Seconds()-ran)
	waited = waited*others/(others+ran) + ran*u.stolen.Seconds()/u.all.Seconds()
	waited *= max(0, 1-descendants/max(passed-ran, passed/2))
	return seconds(min(waited, passed*waited/(waited+ran)))
}
