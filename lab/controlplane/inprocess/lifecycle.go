package inprocess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

func (p *local) runner(c controlplane.Component) func(context.Context, func()) error {
	return map[controlplane.Component]func(context.Context, func()) error{
		controlplane.Etcd: p.runEtcd, controlplane.APIServer: p.runAPIServer, controlplane.ControllerManager: p.runControllerManager, controlplane.Scheduler: p.runScheduler,
	}[c]
}

// boot starts everything in order. A context that ends meanwhile is heeded between components: none can be stopped
// before it is ready.
func (p *local) boot(ctx context.Context) error {
	steps := []func() error{
		func() error { return p.StartComponents(controlplane.Etcd) },
		func() error { return p.fill(ctx) },
		func() error { return p.StartComponents(controlplane.APIServer) },
		func() error { return p.StartComponents(controlplane.ControllerManager, controlplane.Scheduler) },
	}
	if p.options.Bare {
		steps = steps[:len(steps)-1]
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
		if err := context.Cause(ctx); err != nil {
			return fmt.Errorf("stopped before it was ready: %w", err)
		}
	}
	return nil
}

// StartComponents launches components side by side and waits until all are ready.
func (p *local) StartComponents(components ...controlplane.Component) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.mayStart(components...); err != nil {
		return err
	}
	for _, c := range components {
		p.running[c] = launch(c, p.runner(c))
		go p.watch(p.running[c])
	}
	patience := startTimeout
	if p.options.Fill != nil {
		patience = filledTimeout
	}
	var errs []error
	for _, c := range components {
		errs = append(errs, p.running[c].waitReady(p.failed, patience))
	}
	if p.hasFailed() {
		return p.failure
	}
	return errors.Join(errs...)
}

func (p *local) mayStart(components ...controlplane.Component) error {
	select {
	case <-p.done:
		return controlplane.ErrStopped
	default:
	}
	for _, c := range components {
		if p.running[c] != nil {
			return fmt.Errorf("%s is running already", c)
		}
		if below := slices.Index(controlplane.StartOrder, c) - 1; c == controlplane.APIServer && p.running[controlplane.StartOrder[below]] == nil {
			return fmt.Errorf("%s needs a running %s", c, controlplane.Etcd)
		}
	}
	return nil
}

// watch turns a component's unasked end into the plane's failure.
func (p *local) watch(process *process) {
	<-process.done
	if !process.asked.Load() {
		p.fail(process.name, process.err)
	}
}

func (p *local) StopComponent(c controlplane.Component) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running[c] == nil {
		return fmt.Errorf("%s is not running", c)
	}
	return p.halt(c)
}

// halt stops a component that may be running. One that does not stop stays what it is.
func (p *local) halt(c controlplane.Component) error {
	process := p.running[c]
	if process == nil {
		return nil
	}
	if c == controlplane.APIServer && p.running[controlplane.Etcd] == nil {
		stop, err := startStubEtcd(p.folder)
		if err != nil {
			return err
		}
		defer stop()
	}
	patience := stopTimeout
	if p.etcdFailed() {
		patience = brokenTimeout
	}
	if err := process.stop(patience); err != nil {
		return err
	}
	delete(p.running, c)
	return nil
}

// fail ends the plane for a reason; the first one is kept. The component may be unknown.
func (p *local) fail(by controlplane.Component, cause error) {
	p.fails.Do(func() {
		p.failedBy, p.failure = by, failure(by, cause)
		close(p.failed)
		p.closeDone()
		go func() { _ = p.End() }()
	})
}

func (p *local) hasFailed() bool {
	select {
	case <-p.failed:
		return true
	default:
		return false
	}
}

// end stops everything and gives the process and the folder free. What cannot be stopped keeps both.
func (p *local) End() error {
	p.ends.Do(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		var errs []error
		for _, c := range p.stopOrder() {
			errs = append(errs, p.halt(c))
		}
		stuck := errors.Join(errs...)
		p.endErr = errors.Join(stuck, p.close(stuck))
		close(p.ended)
		p.closeDone()
	})
	<-p.ended
	return p.endErr
}

// stopOrder is that of the start turned round, unless etcd has failed: requests to it could wait forever.
func (p *local) stopOrder() []controlplane.Component {
	order := slices.Clone(controlplane.StartOrder)
	slices.Reverse(order)
	if p.etcdFailed() {
		order = append([]controlplane.Component{controlplane.Etcd}, order[:len(order)-1]...)
	}
	return order
}

func (p *local) etcdFailed() bool { return p.hasFailed() && p.failedBy == controlplane.Etcd }

func (p *local) Done() <-chan struct{} { return p.done }

func (p *local) Err() error {
	if p.hasFailed() {
		return p.failure
	}
	return nil
}

// close gives back what newLocal took. Stuck components keep the locks, for they may still write; a new process is free of
// them.
func (p *local) close(stuck error) error {
	var errs []error
	components.direct(io.Discard)
	if p.reserved != nil {
		errs = append(errs, p.reserved.Close())
	}
	if p.portClaim != nil {
		errs = append(errs, p.portClaim.Close())
	}
	if p.logFile != nil {
		errs = append(errs, p.logFile.Close())
	}
	if p.folder != nil && stuck == nil {
		errs = append(errs, p.folder.close())
	}
	inProcess.release(stuck)
	return errors.Join(errs...)
}
