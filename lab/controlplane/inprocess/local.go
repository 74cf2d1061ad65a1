package inprocess

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strconv"
	"sync"

	"github.com/naosu-dev/naosu/lab/atomicfile"
	"github.com/naosu-dev/naosu/lab/controlplane"
)

// local is a plane in this process.
type local struct {
	options controlplane.Options
	folder  *folder
	access  *controlplane.Access
	port    int
	// reserved holds the port until the first start, so that no other process takes it.
	reserved net.Listener
	// portClaim keeps the port from other planes, also while the API server is stopped.
	portClaim io.Closer
	flags     map[controlplane.Component][]string
	logFile   io.Closer

	mu      sync.Mutex // one change of what runs at a time
	running map[controlplane.Component]*process

	fails    sync.Once
	failed   chan struct{}          // closed with the first failure, after the two below are set
	failedBy controlplane.Component // may be unknown
	failure  error

	ends      sync.Once
	ended     chan struct{} // closed when nothing runs any more, after the one below is set
	endErr    error
	done      chan struct{} // closed with the first of the two
	closeDone func()
}

// newLocal prepares a plane's folder, keys and flags. Nothing runs yet.
func newLocal(ctx context.Context, o controlplane.Options) (*local, error) {
	p := &local{
		options: o,
		running: map[controlplane.Component]*process{},
		failed:  make(chan struct{}),
		ended:   make(chan struct{}),
		done:    make(chan struct{}),
	}
	p.closeDone = sync.OnceFunc(func() { close(p.done) })
	if err := o.Check(); err != nil {
		return nil, err
	}
	if err := inProcess.take(p); err != nil {
		return nil, err
	}
	if err := p.prepare(ctx); err != nil {
		return nil, errors.Join(err, p.close(nil))
	}
	return p, nil
}

func (p *local) prepare(ctx context.Context) error {
	var err error
	if p.folder, err = openFolder(p.options.DataDir); err != nil {
		return err
	}
	if err := p.openLog(); err != nil {
		return err
	}
	if err := p.choosePort(ctx); err != nil {
		return err
	}
	signers, err := openAuthorities(p.folder)
	if err != nil {
		return err
	}
	if err := signers.writeServing(p.folder, p.options.BindAddress); err != nil {
		return err
	}
	if p.access, err = controlplane.NewAccess(signers.cluster, p.port); err != nil {
		return err
	}
	if err := p.writeConfigs(); err != nil {
		return err
	}
	return p.gatherFlags()
}

func (p *local) openLog() error {
	target := p.options.Log
	if target == nil {
		file, err := os.OpenFile(p.folder.log(), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return fmt.Errorf("log: %w", err)
		}
		target, p.logFile = file, file
	}
	components.direct(target)
	return nil
}

// choosePort keeps the folder's last port if it is free, or takes another.
func (p *local) choosePort(ctx context.Context) error {
	last, err := p.folder.rememberedPort()
	if err != nil {
		return err
	}
	var l net.Listener
	if last != 0 {
		l, p.portClaim, err = take(ctx, p.options.BindAddress, last)
	}
	if last == 0 || err != nil {
		l, p.portClaim, err = takeAny(ctx, p.options.BindAddress)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", controlplane.APIServer, err)
	}
	p.reserved, p.port = l, l.Addr().(*net.TCPAddr).Port
	return atomicfile.Write(p.folder.port(), []byte(strconv.Itoa(p.port)), 0o600)
}

// writeConfigs gives the components their identities. A kubeconfig of an earlier run goes: it appears when the plane is ready.
func (p *local) writeConfigs() error {
	if err := os.RemoveAll(p.folder.kubeconfig()); err != nil {
		return err
	}
	for _, c := range []controlplane.Component{controlplane.ControllerManager, controlplane.Scheduler} {
		identity, err := p.access.User("system:" + string(c))
		if err != nil {
			return err
		}
		if err := controlplane.WriteKubeconfig(p.folder.conf(c), string(c), identity); err != nil {
			return err
		}
	}
	return p.writeSchedulerConfig()
}

// gatherFlags puts the flags in their order of strength, and finds the bad ones before anything runs.
func (p *local) gatherFlags() error {
	timed := paced(p.options.Pace)
	p.flags = map[controlplane.Component][]string{
		controlplane.Etcd:              p.options.Flags[controlplane.Etcd],
		controlplane.APIServer:         slices.Concat(p.apiServerFlags(), timed[controlplane.APIServer], p.options.Flags[controlplane.APIServer]),
		controlplane.ControllerManager: slices.Concat(p.controllerManagerFlags(), timed[controlplane.ControllerManager], p.options.Flags[controlplane.ControllerManager]),
		controlplane.Scheduler:         slices.Concat(p.schedulerFlags(), timed[controlplane.Scheduler], p.options.Flags[controlplane.Scheduler]),
	}
	for _, c := range controlplane.StartOrder {
		if err := p.tryFlags(c); err != nil {
			return fmt.Errorf("%s: %w", c, err)
		}
	}
	return nil
}

func (p *local) tryFlags(c controlplane.Component) error {
	var err error
	switch c {
	case controlplane.Etcd:
		_, err = etcdConfig(p.folder, p.flags[controlplane.Etcd])
	case controlplane.APIServer:
		_, err = p.apiServerOptions()
	case controlplane.ControllerManager:
		_, err = p.controllerManagerOptions()
	case controlplane.Scheduler:
		_, err = p.schedulerOptions()
	}
	return err
}
