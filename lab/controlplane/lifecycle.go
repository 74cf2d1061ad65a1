package controlplane

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
)

func (p *local) runner(c Component) func(context.Context, func()) error {
	return map[Component]func(context.Context, func()) error{
		Etcd: p.runEtcd, APIServer: p.runAPIServer, ControllerManager: p.runControllerManager, Scheduler: p.runScheduler,
	}[c]
}

// boot starts everything in order. A context that ends meanwhile is heeded between components: none can be stopped
// before it is ready.
func (p *local) boot(ctx context.Context) error {
	steps := []func() error{
		func() error { return p.start(Etcd) },
		func() error { return p.fill(ctx) },
		func() error { return p.start(APIServer) },
		func() error { return p.start(ControllerManager, Scheduler) },
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

// start launches components side by side and waits until all are ready.
func (p *local) start(components ...Component) error {
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

func (p *local) mayStart(components ...Component) error {
	select {
	case <-p.over:
		return errStopped
	default:
	}
	for _, c := range components {
		if p.running[c] != nil {
			return fmt.Errorf("%s is running already", c)
		}
		if below := slices.Index(startOrder, c) - 1; c == APIServer && p.running[startOrder[below]] == nil {
			return fmt.Errorf("%s needs a running %s", c, Etcd)
		}
	}
	return nil
}

var errStopped = errors.New("the control plane has stopped")

// watch turns a component's unasked end into the plane's failure.
func (p *local) watch(process *process) {
	<-process.done
	if !process.asked.Load() {
		p.fail(process.name, process.err)
	}
}

func (p *local) stop(c Component) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.running[c] == nil {
		return fmt.Errorf("%s is not running", c)
	}
	return p.halt(c)
}

// halt stops a component that may be running. One that does not stop stays what it is.
func (p *local) halt(c Component) error {
	process := p.running[c]
	if process == nil {
		return nil
	}
	if c == APIServer && p.running[Etcd] == nil {
		stop, err := hollowEtcd(p.folder)
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
func (p *local) fail(by Component, cause error) {
	p.fails.Do(func() {
		p.failedBy, p.failure = by, failure(by, cause)
		close(p.failed)
		p.isOver()
		go func() { _ = p.end() }()
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
func (p *local) end() error {
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
		p.isOver()
	})
	<-p.ended
	return p.endErr
}

// stopOrder is that of the start turned round, unless etcd has failed: requests to it could wait forever.
func (p *local) stopOrder() []Component {
	order := slices.Clone(startOrder)
	slices.Reverse(order)
	if p.etcdFailed() {
		order = append([]Component{Etcd}, order[:len(order)-1]...)
	}
	return order
}

func (p *local) etcdFailed() bool { return p.hasFailed() && p.failedBy == Etcd }

func (p *local) done() <-chan struct{} { return p.over }

func (p *local) err() error {
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
	if p.logFile != nil {
		errs = append(errs, p.logFile.Close())
	}
	if p.folder != nil && stuck == nil {
		errs = append(errs, p.folder.close())
	}
	inProcess.release(stuck)
	return errors.Join(errs...)
}
