package controlplane

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/client-go/rest"
)

// Plane is a running control plane, in this process or in a child of it.
type Plane struct {
	runner runner
	access *access
	data   string
	file   string
}

// runner is what differs between the two.
type runner interface {
	start(...Component) error
	stop(Component) error
	end() error
	done() <-chan struct{}
	err() error
}

// Start runs a control plane in this process and returns when it is ready: the API answers, its default objects are
// there, controllers act and the scheduler has seen the cluster. Cancelling the context stops it, then or later. What one
// process may hold is told in the package's doc.
func Start(ctx context.Context, o Options) (*Plane, error) {
	p, err := start(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("start control plane: %w", err)
	}
	return p, nil
}

func start(ctx context.Context, o Options) (*Plane, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	local, err := newLocal(ctx, o)
	if err != nil {
		return nil, err
	}
	p := &Plane{runner: local, access: local.access, data: local.folder.data, file: local.folder.kubeconfig()}
	if err = local.boot(ctx); err == nil {
		err = p.WriteKubeconfig(p.file)
	}
	if err != nil {
		return nil, errors.Join(err, local.end())
	}
	context.AfterFunc(ctx, func() { _ = local.end() })
	return p, nil
}

// Stop stops the control plane and waits for it. It returns what went wrong in stopping, again if called again.
func (p *Plane) Stop() error { return p.runner.end() }

// Done is closed when the plane has stopped or as soon as a component has failed, upon which the others are stopped too.
func (p *Plane) Done() <-chan struct{} { return p.runner.done() }

// Err is what failed: nil before Done is closed, and nil if the plane was only asked to stop.
func (p *Plane) Err() error { return p.runner.err() }

// StopComponent stops one component while the others run on, and waits for it. The API server is gone from its port, as
// it is from a crashed machine's.
func (p *Plane) StopComponent(ctx context.Context, c Component) error {
	return p.change(ctx, "stop", c, func() error { return p.runner.stop(c) })
}

// StartComponent starts a stopped component with the flags it had, and waits until it is ready. The API server has its port
// again, and needs etcd. A failure to start ends the plane.
func (p *Plane) StartComponent(ctx context.Context, c Component) error {
	return p.change(ctx, "start", c, func() error { return p.runner.start(c) })
}

// change waits for a change for as long as the context lasts; the change itself goes on to its end.
func (p *Plane) change(ctx context.Context, verb string, c Component, do func() error) error {
	result := make(chan error, 1)
	go func() { result <- do() }()
	select {
	case err := <-result:
		if err != nil {
			return fmt.Errorf("%s %s: %w", verb, c, err)
		}
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s %s: %w", verb, c, context.Cause(ctx))
	}
}

// AdminConfig is for a client that may do everything (group system:masters), without a limit on its requests.
func (p *Plane) AdminConfig() *rest.Config { return rest.CopyConfig(p.access.admin) }

// ConfigForUser is for a client that the API server takes for this user in these groups, by a certificate signed for it.
func (p *Plane) ConfigForUser(name string, groups ...string) (*rest.Config, error) {
	return p.access.user(name, groups...)
}

// ConfigForServiceAccount is for a client with a service account's token, good for a year. The account must exist.
func (p *Plane) ConfigForServiceAccount(ctx context.Context, namespace, name string) (*rest.Config, error) {
	return p.access.serviceAccount(ctx, namespace, name)
}

// KubeconfigPath is the administrator's kubeconfig, in DataDir with mode 0600. It is good for as long as the plane's port is.
func (p *Plane) KubeconfigPath() string { return p.file }

// WriteKubeconfig writes the administrator's kubeconfig to another place: whole or not at all, with mode 0600.
func (p *Plane) WriteKubeconfig(file string) error {
	return kubeconfig(file, "naosu-lab", p.access.admin)
}

// DataDir is where the plane keeps its data, the temporary folder if none was named.
func (p *Plane) DataDir() string { return p.data }
