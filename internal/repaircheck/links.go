package repaircheck

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/message"
)

// link is what is known of a link, not yet in words. The zero link says that it holds.
type link struct {
	state State
	said  message.Sentence
	// severity is how much it matters if not as much as the reason does; empty if it does.
	severity finding.Severity
	proof    *Evidence
	// asks is that a person must approve, ledger that the ledger is what is wrong.
	asks, ledger bool
}

var holds = link{state: Holds}

func cut(id message.ID, args message.Args) link {
	return link{state: Cut, said: message.Of(id, args)}
}

func unknown(id message.ID, args message.Args) link {
	return link{state: Unknown, said: message.Of(id, args)}
}

// tests are those of the links, in their order. One that is of no concern to a chain gives false.
var tests = []struct {
	name LinkName
	of   func(*checker, chain) (link, bool)
}{
	{Detect, detect},
	{Fresh, heard},
	{Match, matched},
	{Wait, lasts},
	{Action, offered},
	{Permitted, permitted},
	{Budget, room},
	{Mode, mode},
	{Competing, competing},
	{Controller, controller},
	{Proven, proven},
}

func detect(_ *checker, ch chain) (link, bool) {
	r := ch.report
	args := message.Args{"agent": string(r.Agent), "condition": r.Condition, "status": string(r.Status), "reason": r.Reason}
	switch {
	case r.Agent == Nobody:
		args["meant"] = meant(r.Reason)
		args["any"] = r.Reason == anyReason
		return cut(message.ProofNobody, args), true
	case r.Severity == reason.Off:
		return cut(message.ProofOff, args), true
	case r.Severity == reason.Warning:
		return cut(message.ProofEventOnly, args), true
	case r.Never != "":
		return cut(r.Never, nil), true
	case ch.blind != "":
		return cut(message.ProofBlind, message.Args{"agent": string(r.Agent), "why": ch.blind}), true
	}
	return holds, true
}

// meant is the spelling that agents use, where a rule uses another.
func meant(written string) string {
	if r, ok := reason.Find(written); ok && string(r.ID) != written {
		return string(r.ID)
	}
	return ""
}

func heard(_ *checker, ch chain) (link, bool) {
	args := message.Args{"agent": string(ch.report.Agent), "condition": ch.report.Condition, "age": duration.HumanDuration(reason.SilentAfter)}
	switch {
	case ch.report.Agent == Nobody:
		return link{}, false
	case ch.word == silent:
		return cut(message.ProofSilent, args), true
	case ch.word == absent:
		return cut(message.ProofAbsent, args), true
	}
	return holds, true
}

func matched(c *checker, ch chain) (link, bool) {
	if ch.policy != nil || ch.other != nil {
		return holds, true
	}
	if c.f.Own.ID != "" {
		return link{state: Unknown, said: c.f.Own}, true
	}
	if len(ch.unread) > 0 {
		return unknown(message.ProofRepairersUnread, message.Args{"why": c.say.Say(ch.unread[0].Why)}), true
	}
	return cut(message.ProofNoRule, nil), true
}

func (ch chain) wait() time.Duration {
	if ch.policy != nil {
		return ch.rule.For.Duration
	}
	return ch.theirs.For
}

func lasts(_ *checker, ch chain) (link, bool) {
	switch {
	case ch.by() == "":
		return link{}, false
	case ch.report.Lasts > 0 && ch.report.Lasts < ch.wait():
		return unknown(message.ProofEnds, message.Args{"wait": duration.HumanDuration(ch.wait()), "lasts": duration.HumanDuration(ch.report.Lasts)}), true
	}
	return holds, true
}

func offered(_ *checker, ch chain) (link, bool) {
	switch {
	case ch.by() == "":
		return link{}, false
	case ch.action() == v1alpha1.ActionNone:
		return link{state: Cut, said: message.Of(message.ProofLeftAlone, message.Args{"by": ch.by(), "rule": ch.rule.Name}), severity: finding.Info}, true
	case ch.policy == nil:
		return holds, true
	}
	for _, p := range ch.permissions() {
		if p.Actuator == nobody {
			l := cut(message.ProofNotOffered, message.Args{"action": string(p.Action), "why": p.Message})
			if p.May == v1alpha1.MayUnknown { // Somebody may, who could not be asked.
				l.state = Unknown
			}
			return l, true
		}
	}
	return holds, true
}

// nobody is the actuator of an action that none offers (api/v1alpha1).
const nobody = "None"

func (ch chain) action() v1alpha1.Action {
	if ch.policy != nil {
		return ch.rule.Action
	}
	return ch.theirs.Action
}

// permitted is what the controller was told when it asked. What others may do is theirs to know.
func permitted(c *checker, ch chain) (link, bool) {
	if ch.policy == nil || ch.rule.Action == v1alpha1.ActionNone {
		return link{}, false
	}
	worst, asked := holds, false
	for _, p := range ch.permissions() {
		if p.Actuator == nobody {
			continue
		}
		asked = true
		args := message.Args{"action": string(p.Action), "actuator": p.Actuator, "why": p.Message, "group": ""}
		if len(p.Groups) > 0 && ch.group != "" {
			args["group"] = "group/" + ch.group
		}
		switch {
		case p.May == v1alpha1.MayNo:
			worst = cut(message.ProofRefused, args)
		case p.May != v1alpha1.MayYes && worst.state != Cut:
			worst = unknown(message.ProofPermissionUnknown, args)
		}
	}
	if worst.state != Cut && c.done(ch) {
		return holds, true
	}
	if !asked {
		return unknown(message.ProofNotAsked, message.Args{"action": string(ch.rule.Action)}), true
	}
	return worst, true
}

func room(_ *checker, ch chain) (link, bool) {
	if ch.policy == nil {
		return link{}, false
	}
	return ch.budgets[ch.policy.Name], true
}

// budgeter asks the guard's own check, once for each zone and group.
func budgeter(f *Facts) func(*v1alpha1.NodeRepairPolicy, *corev1.Node) link {
	type key struct{ policy, zone, group string }
	asked := map[key]link{}
	facts := guard.Facts{Now: f.Now}
	nodes := make([]guard.Node, 0, len(f.Nodes))
	for _, node := range f.Nodes {
		nodes = append(nodes, guard.Node{Name: node.Name, Zone: node.Labels[corev1.LabelTopologyZone], Group: f.Groups[node.Name]})
	}
	facts.Nodes = guard.Known(nodes, f.Now)
	var known ledger.Ledger
	if f.Ledger != nil {
		known = *f.Ledger
	}
	facts.Ledger = guard.Known(known, f.Now)
	return func(p *v1alpha1.NodeRepairPolicy, node *corev1.Node) link {
		k := key{p.Name, node.Labels[corev1.LabelTopologyZone], f.Groups[node.Name]}
		if _, known := asked[k]; !known {
			asked[k] = ruled("budgets", guard.Proposal{Node: guard.Node{Name: node.Name, Zone: k.zone, Group: k.group}, Policy: p.Spec}, facts)
			if f.Ledger == nil && asked[k].state != Cut { // A budget that lets nothing through, ever, does so whatever is spent.
				asked[k] = f.noLedger()
			}
		}
		return asked[k]
	}
}

// noLedger is the link Budget without a ledger. What the controller cannot understand either lets nothing through; what whoever asks
// may not read is not known.
func (f *Facts) noLedger() link {
	why := ""
	if f.LedgerUnread != nil {
		why = f.LedgerUnread.Error()
	}
	l := unknown(message.ProofLedgerUnread, message.Args{"why": why})
	if f.LedgerDamaged {
		l = cut(message.ProofLedgerDamaged, message.Args{"why": why})
	}
	l.ledger = true
	return l
}

// ruled is what one check of the guard says: what it only delays holds, later.
func ruled(check string, p guard.Proposal, f guard.Facts) link {
	checks := slices.DeleteFunc(guard.Checks(), func(c guard.Check) bool { return c.Name != check })
	verdict := guard.Decide(checks, p, f)
	switch {
	case verdict.Decision == guard.Allow:
		return holds
	case verdict.Permanent():
		return link{state: Cut, said: verdict.Message}
	case verdict.Reason == guard.Unknown:
		return link{state: Unknown, said: verdict.Message}
	}
	return link{state: Later, said: verdict.Message, asks: verdict.Reason == guard.AwaitingApproval}
}

// mode is whether the policy may act: not while it is paused or only reports, and later if somebody must agree first.
func mode(c *checker, ch chain) (link, bool) {
	if ch.policy == nil {
		return link{}, false
	}
	p := guard.Proposal{Policy: ch.policy.Spec, Action: ch.rule.Action}
	if paused := ruled("paused", p, guard.Facts{}); paused.state != Holds {
		return paused, true
	}
	l := ruled("mode", p, guard.Facts{AsForecast: guard.Known(asForecast(ch), c.f.Now)})
	if l.state == Cut {
		l.severity = finding.Info // Somebody has chosen so.
	}
	if l.state == Holds {
		return unasked(ch.policy), true
	}
	return l, true
}

// unasked is whether the controller's role lets it act without an approval, as it has found out. A version that did not ask says
// nothing.
func unasked(policy *v1alpha1.NodeRepairPolicy) link {
	found := meta.FindStatusCondition(policy.Status.Conditions, v1alpha1.PolicyUnasked)
	switch {
	case found == nil || found.Status == metav1.ConditionTrue || policy.Spec.Mode != v1alpha1.ModeAuto:
		return holds
	case found.Status == metav1.ConditionFalse:
		return link{state: Later, said: message.Of(message.PermissionAutomate, nil), asks: true}
	}
	return link{state: Unknown, said: message.Of(message.GuardUnknown, message.Args{"fact": "automate remediations.naosu.dev"})}
}

// asForecast is how many Remediations with the rule's action turned out as forecast, as the controller has counted them.
func asForecast(ch chain) int {
	at := slices.IndexFunc(ch.policy.Status.AsForecastByAction, func(c v1alpha1.ActionCount) bool { return c.Action == ch.rule.Action })
	if at < 0 {
		return 0
	}
	return int(ch.policy.Status.AsForecastByAction[at].Count)
}

func competing(c *checker, ch chain) (link, bool) {
	if ch.policy == nil {
		return link{}, false
	}
	var others []string
	for _, other := range ch.rivals() {
		others = append(others, other.String())
	}
	switch {
	case len(others) > 0:
		return cut(message.GuardCompeting, message.Args{"repairers": others}), true
	case len(ch.unread) > 0:
		return c.told(ch), true
	}
	return holds, true
}

// told is what the controller found out about others, where whoever asks may not read it: it may have rights that people have not.
func (c *checker) told(ch chain) link {
	ready := meta.FindStatusCondition(ch.policy.Status.Conditions, v1alpha1.PolicyReady)
	switch {
	case ready == nil || ready.ObservedGeneration != ch.policy.Generation:
	case ready.Reason == v1alpha1.PolicyCompetingReason:
		return cut(message.ProofTold, message.Args{"why": ready.Message})
	case ready.Status == metav1.ConditionTrue && ch.asked():
		return holds
	}
	return unknown(message.ProofRepairersUnread, message.Args{"why": c.say.Say(ch.unread[0].Why)})
}

// asked says whether the controller reached all those whom whoever asks did not: it asked them for permissions.
func (ch chain) asked() bool {
	for _, gap := range ch.unread {
		if !slices.ContainsFunc(ch.policy.Status.Permissions, func(p v1alpha1.Permission) bool { return p.Actuator == gap.Provider }) {
			return false
		}
	}
	return true
}

// rivals are others that are known to repair the same nodes.
func (ch chain) rivals() []change.Ref {
	var refs []change.Ref
	for _, other := range ch.repairers {
		if other.Known() {
			refs = append(refs, other.By)
		}
	}
	return refs
}

// controller is whether one is at work: it renews its lease.
func controller(c *checker, ch chain) (link, bool) {
	if ch.policy == nil {
		return link{}, false
	}
	lease := c.f.Lease
	switch {
	case c.f.LeaseUnread.ID != "":
		return link{state: Unknown, said: c.f.LeaseUnread}, true
	case lease == nil || lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "" || lease.Spec.RenewTime == nil:
		return cut(message.ProofNoController, nil), true
	}
	valid := time.Minute // a clock that is off by some seconds cuts no chain
	if lease.Spec.LeaseDurationSeconds != nil {
		valid = max(valid, 2*time.Duration(*lease.Spec.LeaseDurationSeconds)*time.Second)
	}
	if age := c.f.Now.Sub(lease.Spec.RenewTime.Time); age > valid {
		return cut(message.ProofControllerSilent, message.Args{"age": duration.HumanDuration(age)}), true
	}
	if ch.policy.Status.ObservedGeneration < ch.policy.Generation {
		return unknown(message.ProofNotTakenUp, message.Args{"by": ch.by()}), true
	}
	return holds, true
}
