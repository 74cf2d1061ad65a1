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
	for _, together := range [][]Component{{Etcd}, {APIServer}, {ControllerManager, Scheduler}} {
		if err := p.start(together...); err != nil {
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
	var errs []error
	for _, c := range components {
		errs = append(errs, p.running[c].waitReady(p.failed))
	}
	select {
	case <-p.failed:
		return p.failure
	default:
		return errors.Join(errs...)
	}
}

func (p *local) mayStart(components ...Component) error {
	select {
	case <-p.ended:
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
		p.fail(process.exit())
	}
}

func (p *local) stop(c Component) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	process := p.running[c]
	if process == nil {
		return fmt.Errorf("%s is not running", c)
	}
	delete(p.running, c)
	return process.stop()
}

// fail ends the plane for a reason; the first one is kept.
func (p *local) fail(cause error) {
	p.fails.Do(func() {
		p.failure = cause
		close(p.failed)
		go p.end()
	})
}

// end stops everything and gives the process and the folder free.
func (p *local) end() error {
	p.ends.Do(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		var errs []error
		for _, c := range slices.Backward(startOrder) {
			if process := p.running[c]; process != nil {
				errs = append(errs, process.stop())
			}
		}
		stuck := errors.Join(errs...)
		p.endErr = errors.Join(stuck, p.close(stuck))
		close(p.ended)
	})
	<-p.ended
	return p.endErr
}

func (p *local) done() <-chan struct{} { return p.ended }

// err is why the plane ended, nil as long as it has not or if it was asked to.
func (p *local) err() error {
	select {
	case <-p.ended:
	default:
		return nil
	}
	select {
	case <-p.failed:
		return p.failure
	default:
		return nil
	}
}

// close gives back what newLocal took.
func (p *local) close(stuck error) error {
	var errs []error
	components.direct(io.Discard)
	if p.logFile != nil {
		errs = append(errs, p.logFile.Close())
	}
	if p.folder != nil {
		errs = append(errs, p.folder.close())
	}
	inProcess.release(stuck)
	return errors.Join(errs...)
}
