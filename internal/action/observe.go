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
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// observe reads what the next transition of a Remediation depends on.
func (p *Performer) observe(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.NodeRepairPolicy) (observation, error) {
	s := observation{now: p.Clock.Now()}
	node, err := p.node(ctx, r.Spec.Node.Name)
	if err != nil {
		return s, err
	}
	if node != nil && node.UID == r.Spec.Node.UID {
		s.node = node
		_, s.offered = p.provider(r, node)
	}
	if s.policy, err = p.policy(ctx, r, policy); err != nil {
		return s, err
	}
	s.unhealthy = s.node != nil && needsRepair(s.policy, r, s.node)
	if concluded(r) {
		return s, nil
	}
	if err := p.observeLedger(ctx, r, &s); err != nil {
		return s, err
	}
	if r.Status.Phase != v1alpha1.PhaseRunning || abortRequested(r) {
		return s, nil
	}
	switch lastStep(r).Name {
	case v1alpha1.StepDrain:
		err = p.observePods(ctx, r, &s)
	case v1alpha1.StepAct:
		if actuationDue(r) {
			p.recheckGuard(ctx, r, &s)
		}
	case v1alpha1.StepWait, v1alpha1.StepDwell, v1alpha1.StepVerify:
		err = p.observeAfterAct(ctx, r, &s)
	}
	return s, err
}

// policy is a Remediation's policy, nil if it is gone or another was created under its name. As long as the machine may yet be acted
// on it is read anew, past the cache that the caller has it from: what is decided next is decided by that reading.
func (p *Performer) policy(ctx context.Context, r *v1alpha1.Remediation, known *v1alpha1.NodeRepairPolicy) (*v1alpha1.NodeRepairPolicy, error) {
	if known == nil || !r.Spec.Policy.Names(known) {
		return nil, nil
	}
	if pastAct(r) {
		return known, nil
	}
	var policy v1alpha1.NodeRepairPolicy
	err := p.Reader.Get(ctx, client.ObjectKeyFromObject(known), &policy)
	switch {
	case apierrors.IsNotFound(err):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the policy %s: %w", known.Name, err)
	}
	if !r.Spec.Policy.Names(&policy) {
		return nil, nil
	}
	return &policy, nil
}

// needsRepair says whether a node still needs a Remediation, by its policy's rules, or by its evidence alone if the policy is gone.
func needsRepair(policy *v1alpha1.NodeRepairPolicy, r *v1alpha1.Remediation, node *corev1.Node) bool {
	if policy == nil {
		return repairpolicy.NeedsRepair(nil, r, node)
	}
	return repairpolicy.NeedsRepair(policy.Spec.Rules, r, node)
}

// pastAct says whether the machine has been acted on, or will not be any more.
func pastAct(r *v1alpha1.Remediation) bool {
	switch lastStep(r).Name {
	case v1alpha1.StepWait, v1alpha1.StepDwell, v1alpha1.StepVerify, v1alpha1.StepUncordon:
		return true
	}
	return false
}

// observeLedger compares the Remediation with its entry in the ledger, and, as long as the machine may be acted on, evaluates whether the
// policy would still propose it. Where the ledger cannot be read the guard allows nothing; after the act that is an error, since the
// outcome counts only for a Remediation with an entry.
func (p *Performer) observeLedger(ctx context.Context, r *v1alpha1.Remediation, s *observation) error {
	read, err := p.Records.ReadLedger(ctx)
	switch {
	case err != nil && pastAct(r):
		return err
	case err != nil:
		return nil //nolint:nilerr // As documented.
	}
	entry, entered := read.Entry(ledger.HolderOf(r))
	reserved := entered && entry.Ended.IsZero()
	s.ledgerMismatch = entered && !reserved || !reserved && r.Status.Phase == v1alpha1.PhaseRunning
	if s.policy != nil && s.node != nil && !pastAct(r) {
		s.objection = repairpolicy.ObjectionTo(&s.policy.Spec, s.node, r, read.Ledger, s.now)
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
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("read the node %s: %w", name, err)
	}
	return &node, nil
}

// provider is the provider that acts on a Remediation's machine; nil where the node's own agent restarts a service.
func (p *Performer) provider(r *v1alpha1.Remediation, node *corev1.Node) (cloud.Provider, bool) {
	if r.Spec.Action() == v1alpha1.ActionRestartService {
		return nil, true
	}
	return p.Providers.For(r.Spec.Action(), cloud.MachineOf(node))
}

// recheckGuard runs the checks that must allow until the machine is acted on; none of them needs a simulation. If they cannot run, that
// counts as a denial, for as long as a drain may take: a node must not stay cordoned because something cannot be read.
func (p *Performer) recheckGuard(ctx context.Context, r *v1alpha1.Remediation, s *observation) {
	if s.node == nil || s.policy == nil {
		return
	}
	read, err := p.Records.ReadLedger(ctx)
	if err != nil {
		s.verdict, s.readErr = unknownLedger, err
		return
	}
	counted, err := p.withRunningRemediations(ctx, read.Ledger)
	if err != nil {
		s.verdict, s.readErr = unknownGuard, err
		return
	}
	ruling, err := p.Advisor.CheckGuard(ctx, r, s.policy, outcome.Outcome{}, guard.Known(counted, p.Clock.Now()))
	if err != nil {
		s.verdict, s.readErr = unknownGuard, fmt.Errorf("ask the guard about %s: %w", r.Name, err)
		return
	}
	s.verdict = ruling.UntilActed()
}

func (p *Performer) observePods(ctx context.Context, r *v1alpha1.Remediation, s *observation) error {
	if s.node == nil {
		return nil
	}
	pods, err := p.podsOn(ctx, s.node.Name)
	if err != nil {
		return err
	}
	classifyPods(pods, s)
	p.recheckGuard(ctx, r, s)
	return nil
}

// observeAfterAct reads the successor of a replaced node, and, in the step Verify, pods.
func (p *Performer) observeAfterAct(ctx context.Context, r *v1alpha1.Remediation, s *observation) error {
	step := lastStep(r).Name
	var err error
	if r.Spec.Action() == v1alpha1.ActionReplace && s.node == nil {
		if s.successor, err = p.successor(ctx, r, s.policy); err != nil {
			return err
		}
		s.successorUnhealthy = s.successor != nil && needsRepair(s.policy, r, s.successor)
	}
	if step == v1alpha1.StepVerify {
		node, _ := nodeToVerify(r, *s)
		s.missing, s.broken, err = p.missingPods(ctx, r, node)
	}
	return err
}

// successor is the node that replaces one: the one that was recorded, or else a healthy one of the group that was created after the act
// and that no other Remediation has recorded.
func (p *Performer) successor(ctx context.Context, r *v1alpha1.Remediation, policy *v1alpha1.NodeRepairPolicy) (*corev1.Node, error) {
	if wait, _ := stepOf(r, v1alpha1.StepWait); wait.EndedAt != nil {
		name := successorName(wait)
		if name == "" {
			return nil, nil // None was expected.
		}
		return p.node(ctx, name)
	}
	if !expectsSuccessor(r) {
		return nil, nil
	}
	all, err := p.Records.List(ctx)
	if err != nil {
		return nil, err
	}
	read, err := p.Records.ReadLedger(ctx)
	if err != nil {
		return nil, err
	}
	var nodes corev1.NodeList
	if err := p.Reader.List(ctx, &nodes); err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	entry, _ := read.Ongoing(ledger.HolderOf(r))
	act, _ := stepOf(r, v1alpha1.StepAct)
	since := act.StartedAt.Truncate(time.Second) // as precise as a creation is told
	at := slices.IndexFunc(nodes.Items, func(n corev1.Node) bool {
		return cluster.GroupName(&n) == entry.Group && !n.CreationTimestamp.Time.Before(since) && n.UID != r.Spec.Node.UID &&
			kube.IsNodeReady(&n) && !needsRepair(policy, r, &n) && !slices.ContainsFunc(all, func(o v1alpha1.Remediation) bool {
			return o.Name != r.Name && Successor(&o) == n.Name
		})
	})
	if at < 0 {
		return nil, nil // None yet.
	}
	return &nodes.Items[at], nil
}

// successorPrefix precedes the name of the successor of a replaced node in the operation of the step Wait: no two Remediations may
// record the same new node.
const successorPrefix = "node/"

// Successor is the name of the node that a Remediation has recorded as the successor of its own; empty if there is none.
func Successor(r *v1alpha1.Remediation) string {
	wait, _ := stepOf(r, v1alpha1.StepWait)
	return successorName(wait)
}

// successorName is the successor that a step Wait recorded; empty if there is none.
func successorName(wait v1alpha1.Step) string {
	name, _ := strings.CutPrefix(wait.Operation, successorPrefix)
	return name
}
