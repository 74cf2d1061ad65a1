package inprocess

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime/pprof"
	"sync"
	"sync/atomic"
	"time"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

const (
	// startTimeout is how long a component may take to be ready on a slow machine, before its start has failed.
	startTimeout = 2 * time.Minute
	// filledTimeout is the same for a plane that was filled: the API server reads all there is before it is ready.
	filledTimeout = 15 * time.Minute
	// stopTimeout is how long one may take to stop before it is given up: an API server waits for the requests that it is
	// serving, and each may take a minute (its --request-timeout). brokenTimeout is the same when etcd has failed, without which
	// little can end well.
	stopTimeout   = 90 * time.Second
	brokenTimeout = 5 * time.Second
)

// process is one running component: a goroutine in place of an operating system's process.
type process struct {
	name   controlplane.Component
	cancel context.CancelFunc
	ready  chan struct{}
	done   chan struct{}
	err    error       // set before done is closed
	asked  atomic.Bool // to stop
}

// errEnded is the error of a component whose goroutine ended without returning, which is what its call of Fatal becomes.
var errEnded = errors.New("ended itself")

// launch runs a component until its context is cancelled. The component calls ready when it does its work.
func launch(name controlplane.Component, run func(ctx context.Context, ready func()) error) *process {
	ctx, cancel := context.WithCancel(context.Background())
	p := &process{name: name, cancel: cancel, ready: make(chan struct{}), done: make(chan struct{}), err: errEnded}
	go func() {
		defer close(p.done)
		defer cancel()
		defer func() {
			if cause := recover(); cause != nil {
				p.err = fmt.Errorf("panicked: %v", cause)
			}
		}()
		p.err = run(ctx, sync.OnceFunc(func() { close(p.ready) }))
	}()
	return p
}

// waitReady waits even when the caller's context has ended: an API server stopped before it is ready calls Fatal. It gives
// up when another component has failed.
func (p *process) waitReady(failed <-chan struct{}, patience time.Duration) error {
	select {
	case <-p.ready:
		return nil
	case <-p.done:
		return failure(p.name, p.err)
	case <-failed:
		return nil // the failure is reported
	case <-time.After(patience):
		return fmt.Errorf("%s: not ready after %v", p.name, patience)
	}
}

// stop cancels the component's context and waits for it.
func (p *process) stop(patience time.Duration) error {
	p.asked.Store(true)
	p.cancel()
	select {
	case <-p.done:
		return nil
	case <-time.After(patience):
		return fmt.Errorf("%s: still running %v after it was asked to stop%s", p.name, patience, goroutines())
	}
}

// goroutines says where the stacks of all goroutines were written to: without them, a hang cannot be debugged.
func goroutines() string {
	file, err := os.CreateTemp("", "naosu-goroutines-*.txt")
	if err != nil {
		return ""
	}
	defer file.Close()
	if err := pprof.Lookup("goroutine").WriteTo(file, 2); err != nil {
		return ""
	}
	return "; where its goroutines are stands in " + file.Name()
}

// failure reports that a component ended without being stopped; the component may be unknown.
func failure(by controlplane.Component, cause error) error {
	switch {
	case by == "":
		return cause
	case cause == nil:
		return fmt.Errorf("%s: ended unasked", by)
	}
	return fmt.Errorf("%s: %w", by, cause)
}
