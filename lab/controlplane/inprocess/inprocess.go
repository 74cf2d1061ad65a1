package inprocess

import (
	"context"
	"errors"
	"fmt"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

// Start runs a control plane in this process, as a controlplane.Starter does. What one process may hold is described in the
// package's doc.
func Start(ctx context.Context, o controlplane.Options) (*controlplane.Plane, error) {
	p, err := start(ctx, o)
	if err != nil {
		return nil, fmt.Errorf("start control plane: %w", err)
	}
	return controlplane.NewPlane(p, p.access, p.folder.data, p.folder.kubeconfig()), nil
}

func start(ctx context.Context, o controlplane.Options) (*local, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	p, err := newLocal(ctx, o)
	if err != nil {
		return nil, err
	}
	if err = p.boot(ctx); err == nil {
		err = p.access.WriteKubeconfig(p.folder.kubeconfig())
	}
	if err != nil {
		return nil, errors.Join(err, p.End())
	}
	context.AfterFunc(ctx, func() { _ = p.End() })
	return p, nil
}
