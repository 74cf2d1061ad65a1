package runtime

import (
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/cri"
)

// probeLabels are on the probe's sandboxes and on no others. A kubelet that lists such a sandbox takes it for one of a deleted pod and removes
// it, too, which does no harm.
var probeLabels = map[string]string{"naosu.dev/probe": "sandbox"}

// probe makes a pod sandbox and removes it again, as the kubelet does: where that fails no pod starts, while the runtime may report itself as
// ready.
type probe struct {
	runtimes *runtimes
	options  SandboxProbe
	attempt  uint32
}

func (p *probe) period() time.Duration {
	return max(cmp.Or(p.options.Period, time.Hour), 2*p.options.Patience)
}

func (p *probe) find(ctx context.Context) ([]evidence.Evidence, error) {
	if p.options.Period == 0 {
		return inapplicable("runtime.sandboxProbe.period is not set", reason.CRISandboxProbeFailed), nil
	}
	present, _ := p.runtimes.present()
	asked := false
	var found []evidence.Evidence
	for _, e := range present {
		err := p.checkOne(ctx, e.client)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if cri.Refused(err, cri.Unimplemented) {
			continue
		}
		asked = true
		if err != nil {
			found = append(found, evidence.Evidence{Reason: reason.CRISandboxProbeFailed, Entity: e.socket, State: evidence.Fault, Raw: err.Error()})
		}
	}
	if !asked {
		return inapplicable("no container runtime speaks CRI here", reason.CRISandboxProbeFailed), nil
	}
	return found, nil
}

// checkOne makes and removes one sandbox, after those that an earlier run left behind.
func (p *probe) checkOne(ctx context.Context, client *cri.Client) error {
	ctx, cancel := context.WithTimeout(ctx, p.options.Patience)
	defer cancel()
	if err := p.clean(ctx, client); err != nil {
		return err
	}
	p.attempt++
	id, err := client.Run(ctx, cri.NewSandbox{
		Namespace: "naosu-probe", Name: "sandbox", UID: fmt.Sprintf("naosu-probe-%d", p.attempt), Attempt: p.attempt,
		Labels: probeLabels, CgroupParent: p.options.CgroupParent, HostNetwork: p.options.HostNetwork,
	})
	if err != nil {
		return fmt.Errorf("make a sandbox: %w", err)
	}
	if err := remove(ctx, client, id); err != nil {
		return fmt.Errorf("remove the sandbox: %w", err)
	}
	return nil
}

// remove removes a sandbox. It tries twice, because the first may fail if the kubelet removes it at the same time; removing one that is gone
// is no error.
func remove(ctx context.Context, client *cri.Client, id string) error {
	if client.Remove(ctx, id) == nil {
		return nil
	}
	return client.Remove(ctx, id)
}

func (p *probe) clean(ctx context.Context, client *cri.Client) error {
	left, err := client.Sandboxes(ctx, probeLabels)
	if err != nil {
		return fmt.Errorf("list the sandboxes of earlier probes: %w", err)
	}
	for _, checkOne := range left {
		if err := remove(ctx, client, checkOne.ID); err != nil {
			return fmt.Errorf("remove the sandbox of an earlier probe: %w", err)
		}
	}
	return nil
}
