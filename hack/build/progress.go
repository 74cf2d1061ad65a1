package main

import (
	"fmt"
	"math"
	"runtime"
	"strings"
	"sync"
	"time"
)

const (
	// cpuPerPackage and chainPerPackage come from cold builds with Kubernetes 1.36's control plane and Go 1.26: 2,838
	// packages took 1,050 s of CPU time, and of 2,500 the longest chain of packages that wait for each other took 46 s. They
	// are only the first guess; the machine's own speed replaces them.
	cpuPerPackage   = 370 * time.Millisecond
	chainPerPackage = 18 * time.Millisecond
	// linking is what comes after the last package.
	linking = 15 * time.Second
	// slope describes that the small packages come first: when the fraction f of them is done, f^slope of the time is.
	slope = 1.25
	// measurable is the fraction of packages from which on measured speed is better than the guess.
	measurable = 0.03
)

// progress follows a build whose packages are named as their compilation starts.
type progress struct {
	total, cores int
	start        time.Time

	mu      sync.Mutex
	started int
}

func newProgress(total int, now time.Time) *progress {
	return &progress{total: total, cores: runtime.GOMAXPROCS(0), start: now}
}

// compiling notes that one more package is being compiled.
func (p *progress) compiling() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.started = min(p.started+1, p.total)
}

// guess is how long the whole build takes judging by the number of cores alone.
func (p *progress) guess() time.Duration {
	perPackage := max(cpuPerPackage/time.Duration(p.cores), chainPerPackage)
	return time.Duration(p.total)*perPackage + linking
}

func (p *progress) opening() string {
	return fmt.Sprintf("The first build compiles Kubernetes itself: %d packages on %d cores, about %s. Later builds take seconds.",
		p.total, p.cores, roughly(p.guess()))
}

// line says how far the build is at the given time.
func (p *progress) line(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	fraction := float64(p.started) / float64(p.total)
	if p.started == p.total {
		return fmt.Sprintf("%s %d of %d packages, linking", bar(fraction), p.started, p.total)
	}
	return fmt.Sprintf("%s %d of %d packages, about %s left", bar(fraction), p.started, p.total, roughly(p.left(fraction, now)))
}

func (p *progress) left(fraction float64, now time.Time) time.Duration {
	elapsed := now.Sub(p.start)
	whole := p.guess()
	if fraction >= measurable {
		whole = time.Duration(float64(elapsed)/math.Pow(fraction, slope)) + linking
	}
	return max(whole-elapsed, linking)
}

func bar(fraction float64) string {
	const width = 24
	full := int(fraction * width)
	return fmt.Sprintf("[%s%s] %3.0f%%", strings.Repeat("#", full), strings.Repeat(".", width-full), 100*fraction)
}

// roughly is a duration as a person would say it.
func roughly(d time.Duration) string {
	if d < 90*time.Second {
		return fmt.Sprintf("%d s", int(d.Round(5*time.Second).Seconds()))
	}
	return fmt.Sprintf("%d min", int(d.Round(time.Minute).Minutes()))
}
