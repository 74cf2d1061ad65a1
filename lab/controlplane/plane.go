package controlplane

import (
	"context"
	"fmt"

	"k8s.io/client-go/rest"
)

// Plane is a running control plane, in this process or in a child of it.
type Plane struct {
	runner Runner
	access *Access
	data   string
	file   string
}

// Runner is what differs between a plane in this process and one in a child process.
type Runner interface {
	// StartComponents starts stopped components side by side and returns when all are ready.
	StartComponents(...Component) error
	// StopComponent stops one and waits for it.
	StopComponent(Component) error
	// End stops everything. It returns what went wrong in stopping, again if called again.
	End() error
	// Done is closed when the plane has ended, Err why it did if it was not asked to.
	Done() <-chan struct{}
	Err() error
}

// Starter starts a control plane and returns when it is ready: the API answers, its default objects are there, controllers
// act and the scheduler has seen the cluster. Cancelling the context stops it, then or later.
type Starter func(context.Context, Options) (*Plane, error)

// NewPlane is the plane of a runner whose API server answers, with the kubeconfig of its administrator written to a file
// of its data folder.
func NewPlane(r Runner, a *Access, dataDir, kubeconfig string) *Plane {
	return &Plane{runner: r, access: a, data: dataDir, file: kubeconfig}
}

// Stop stops the control plane and waits for it. It returns what went wrong in stopping, again if called again.
func (p *Plane) Stop() error { return p.runner.End() }

// Done is closed when the plane has stopped or as soon as a component has failed, upon which the others are stopped too.
func (p *Plane) Done() <-chan struct{} { return p.runner.Done() }

// Err is what failed: nil before Done is closed, and nil if the plane was only asked to stop.
func (p *Plane) Err() error { return p.runner.Err() }

// StopComponent stops one component while the others run on, and waits for it. The API server is gone from its port, as
// it is from a crashed machine's.
func (p *Plane) StopComponent(ctx context.Context, c Component) error {
	return p.change(ctx, "stop", c, func() error { return p.runner.StopComponent(c) })
}

// StartComponent starts a stopped component with the flags it had, and waits until it is ready. The API server has its port
// again, and needs etcd. A failure to start ends the plane.
func (p *Plane) StartComponent(ctx context.Context, c Component) error {
	return p.change(ctx, "start", c, func() error { return p.runner.StartComponents(c) })
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
func (p *Plane) AdminConfig() *rest.Config { return p.access.Admin() }

// ConfigForUser is for a client that the API server takes for this user in these groups, by a certificate signed for it.
func (p *Plane) ConfigForUser(name string, groups ...string) (*rest.Config, error) {
	return p.access.User(name, groups...)
}

// ConfigForServiceAccount is for a client with a service account's token, valid for a year. The account must exist.
func (p *Plane) ConfigForServiceAccount(ctx context.Context, namespace, name string) (*rest.Config, error) {
	return p.access.serviceAccount(ctx, namespace, name)
}

// KubeconfigPath is the administrator's kubeconfig, in DataDir with mode 0600. It is valid as long as the plane keeps its port.
func (p *Plane) KubeconfigPath() string { return p.file }

// WriteKubeconfig writes the administrator's kubeconfig to another place: whole or not at all, with mode 0600.
func (p *Plane) WriteKubeconfig(file string) error { return p.access.WriteKubeconfig(file) }

// DataDir is where the plane keeps its data, the temporary folder if none was named.
func (p *Plane) DataDir() string { return p.data }
