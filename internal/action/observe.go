package action

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// observe reads what the next transition of a Remediation depends on.
func (p *Performer) observe(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.NodeRepairPolicy) (observation, error) {
	s := observation{now: p.Clock.Now()}
	node, err := p.node(ctx, r.Spec.Node.Name)
	if err != nil {
		return s, err
	}
	if node != nil && node.UID == r.Spec.Node.UID {
		s.node, s.unhealthy = node, p.Advisor.Ill(node, r)
		_, s.offered = p.provider(r, node)
	}
	if s.policy, err = p.policy(ctx, r, policy); err != nil || concluded(r) {
		return s, err
	}
	if err := p.observeLedger(ctx, r, &s); err != nil {
		return s, err
	}
	if r.Status.Phase != v1alpha1.PhaseRunning || toAbort(r) {
		return s, nil
	}
	switch lastStep(r).Name {
	case v1alpha1.StepDrain:
		err = p.observePods(ctx, r, &s)
	case v1alpha1.StepAct:
		if actuationDue(r) {
			p.askGuardAgain(ctx, r, &s)
		}
	case v1alpha1.StepWait, v1alpha1.StepDwell, v1alpha1.StepVerify:
		err = p.observeAfterAct(ctx, r, &s)
	}
	return s, err
}

// policy is what a Remediation's policy says, nil if it is gone or a later one has its name: as long as the machine may yet be acted on, as it is read past the
// cache that the caller has it from.
func (p *Performer) policy(ctx context.Context, r *v1alpha1.Remediation, known *v1alpha1.NodeRepairPolicy) (*v1alpha1.NodeRepairPolicySpec, error) {
	if known == nil || !r.Spec.Policy.Names(known) {
		return nil, nil //nolint:nilnil // That there is none is an answer.
	}
	if beyondAct(r) {
		return &known.Spec, nil
	}
	var policy v1alpha1.NodeRepairPolicy
	err := p.Reader.Get(ctx, client.ObjectKeyFromObject(known), &policy)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil //nolint:nilnil // As above.
	case err != nil:
		return nil, fmt.Errorf("read the policy %s: %w", known.Name, err)
	}
	if !r.Spec.Policy.Names(&policy) {
		return nil, nil //nolint:nilnil // As above.
	}
	return &policy.Spec, nil
}

// beyondAct says whether the machine has been acted on, or will not be any more.
func beyondAct(r *v1alpha1.Remediation) bool {
	switch lastStep(r).Name {
	case v1alpha1.StepWait, v1alpha1.StepDwell, v1alpha1.StepVerify, v1alpha1.StepUncordon:
		return true
	}
	return false
}

// observeLedger sees whether the ledger bears out the record, and, as long as the machine may yet be acted on, whether the
// policy asks for this. Where the ledger cannot be read the guard allows nothing; who only watches must wait for it, since
// what becomes of a machine counts only for a record that the ledger bears out.
func (p *Performer) observeLedger(ctx context.Context, r *v1alpha1.Remediation, s *observation) error {
	ledger, err := p.Records.ReadLedger(ctx)
	switch {
	case err != nil && beyondAct(r):
		return err
	case err != nil:
		return nil //nolint:nilerr // As documented.
	}
	entry, entered := ledger.Of(guard.HolderOf(r))
	reserved := entered && entry.Ended.IsZero()
	s.contradicted = entered && !reserved || !reserved && r.Status.Phase == v1alpha1.PhaseRunning
	if s.policy != nil && s.node != nil && !beyondAct(r) {
		s.objection = repairpolicy.Asks(s.policy, s.node, r, ledger.Ledger, s.now)
	}
	return nil
}

// actuationDue says whether an act that is recorded may be requested.
func actuationDue(r *v1alpha1.Remediation) bool {
	return r.Spec.Action() == v1alpha1.ActionReplace || lastStep(r).Result == v1alpha1.StepFailed
}

// node reads a Node past any cache; nil if there is none.
func (p *Performer) node(ctx context.Context, name string) (*corev1.Node, error) {
	var node corev1.Node
	err := p.Reader.Get(ctx, client.ObjectKey{Name: name}, &node)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil //nolint:nilnil // That there is none is an answer.
	case err != nil:
		return nil, fmt.Errorf("read the node %s: %w", name, err)
	}
	return &node, nil
}

// provider is who acts on a Remediation's machine; restarting a service is for the node's own agent.
func (p *Performer) provider(r *v1alpha1.Remediation, node *corev1.Node) (cloud.Provider, bool) {
	if r.Spec.Action() == v1alpha1.ActionRestartService {
		return nil, true
	}
	return p.Providers.For(r.Spec.Action(), cloud.MachineOf(node))
}

// askGuardAgain runs the checks that must allow until the machine is acted on; none of them needs a future. If they cannot be run,
// that counts as a denial, for as long as a drain may take: a node must not stay cordoned because something cannot be read.
func (p *Performer) askGuardAgain(ctx context.Context, r *v1alpha1.Remediation, s *observation) {
	if s.node == nil {
		return
	}
	ledger, err := p.Records.ReadLedger(ctx)
	if err != nil {
		s.verdict, s.readErr = unknownLedger, err
		return
	}
	counted, err := p.withRunning(ctx, ledger.Ledger)
	if err != nil {
		s.verdict, s.readErr = unknownGuard, err
		return
	}
	ruling, err := p.Advisor.Rule(ctx, r, simulation.Outcome{}, guard.Known(counted, p.Clock.Now()))
	if err != nil {
		s.verdict, s.readErr = unknownGuard, fmt.Errorf("ask the guard about %s: %w", r.Name, err)
		return
	}
	s.verdict = ruling.Throughout()
}

func (p *Performer) observePods(ctx context.Context, r *v1alpha1.Remediation, s *observation) error {
	if s.node == nil {
		return nil
	}
	pods, err := p.podsOn(ctx, s.node.Name)
	if err != nil {
		return err
	}
	sortOut(pods, s)
	p.askGuardAgain(ctx, r, s)
	return nil
}

// observeAfterAct reads the node that came in the place of one that was replaced, and at last pods.
func (p *Performer) observeAfterAct(ctx context.Context, r *v1alpha1.Remediation, s *observation) error {
	step := lastStep(r).Name
	var err error
	if r.Spec.Action() == v1alpha1.ActionReplace && s.node == nil {
		if s.successor, err = p.successor(ctx, r); err != nil {
			return err
		}
		s.successorUnhealthy = s.successor != nil && p.Advisor.Ill(s.successor, r)
	}
	if step == v1alpha1.StepVerify {
		node, _ := nodeToVerify(r, *s)
		s.missing, s.broken, err = p.podsBack(ctx, r, node)
	}
	return err
}

// successor is the node that came in the place of one that was replaced: the one that was taken for it, or else a healthy
// one of the group that is younger than the act and that no other Remediation has taken.
func (p *Performer) successor(ctx context.Context, r *v1alpha1.Remediation) (*corev1.Node, error) {
	if wait, _ := stepOf(r, v1alpha1.StepWait); wait.EndedAt != nil {
		name := takenBy(wait)
		if name == "" {
			return nil, nil //nolint:nilnil // None was expected.
		}
		return p.node(ctx, name)
	}
	if !expectsSuccessor(r) {
		return nil, nil //nolint:nilnil // As above.
	}
	all, err := p.Records.List(ctx)
	if err != nil {
		return nil, err
	}
	ledger, err := p.Records.ReadLedger(ctx)
	if err != nil {
		return nil, err
	}
	var nodes corev1.NodeList
	if err := p.Reader.List(ctx, &nodes); err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	entry, _ := ledger.Ongoing(guard.HolderOf(r))
	act, _ := stepOf(r, v1alpha1.StepAct)
	since := act.StartedAt.Truncate(time.Second) // as precise as a creation is told
	at := slices.IndexFunc(nodes.Items, func(n corev1.Node) bool {
		return cluster.GroupName(&n) == entry.Group && !n.CreationTimestamp.Time.Before(since) && n.UID != r.Spec.Node.UID &&
			kube.IsNodeReady(&n) && !p.Advisor.Ill(&n, r) && !slices.ContainsFunc(all, func(o v1alpha1.Remediation) bool {
			return o.Name != r.Name && Successor(&o) == n.Name
		})
	})
	if at < 0 {
		return nil, nil //nolint:nilnil // None yet.
	}
	return &nodes.Items[at], nil
}

// successorMark goes before the name of the node that came in the place of one that was replaced, in the operation of the
// step Wait: no two Remediations may take the same new node for theirs.
const successorMark = "node/"

// Successor is the name of the node that a Remediation has taken for the one that came in the place of its own; empty if it
// has taken none.
func Successor(r *v1alpha1.Remediation) string {
	wait, _ := stepOf(r, v1alpha1.StepWait)
	return takenBy(wait)
}

// takenBy is the node that a step Wait ended with; empty if none.
func takenBy(wait v1alpha1.Step) string {
	name, _ := strings.CutPrefix(wait.Operation, successorMark)
	return name
}
