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
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
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

func broken(said message.Sentence) link {
	return link{state: Breaks, said: said}
}

func unknown(said message.Sentence) link {
	return link{state: Unknown, said: said}
}

// linkChecks are those of the links, in their order. One that is of no concern to a chain gives false.
var linkChecks = []struct {
	name LinkName
	of   func(*checker, chain) (link, bool)
}{
	{Detect, checkDetection},
	{Fresh, checkHeartbeat},
	{Match, checkRule},
	{Wait, checkDuration},
	{Action, checkActuator},
	{Permitted, checkPermission},
	{Budget, checkBudget},
	{Mode, checkMode},
	{Competing, checkCompeting},
	{Controller, checkController},
	{Proven, checkProof},
}

func checkDetection(_ *checker, ch chain) (link, bool) {
	r := ch.report
	agent := string(r.Agent)
	switch {
	case r.Agent == Nobody:
		return broken(sentence.ProofNobody(r.Condition, string(r.Status), r.Reason == anyReason, r.Reason, emittedReason(r.Reason))), true
	case r.Severity == reason.Off:
		return broken(sentence.ProofOff(agent, r.Reason)), true
	case r.Severity == reason.Warning:
		return broken(sentence.ProofEventOnly(agent, r.Condition)), true
	case !r.NeverReported.IsZero():
		return broken(r.NeverReported), true
	case ch.notWatched != "":
		return broken(sentence.ProofBlind(string(r.Agent), ch.notWatched)), true
	}
	return holds, true
}

// emittedReason is the spelling that agents use, where a rule uses another.
func emittedReason(written string) string {
	if r, ok := reason.Find(written); ok && string(r.ID) != written {
		return string(r.ID)
	}
	return ""
}

func checkHeartbeat(_ *checker, ch chain) (link, bool) {
	agent := string(ch.report.Agent)
	switch {
	case ch.report.Agent == Nobody:
		return link{}, false
	case ch.heartbeat == heartbeatStale:
		return broken(sentence.ProofSilent(agent, ch.report.Condition, duration.HumanDuration(reason.SilentAfter))), true
	case ch.heartbeat == conditionAbsent:
		return broken(sentence.ProofAbsent(agent, ch.report.Condition)), true
	}
	return holds, true
}

func checkRule(c *checker, ch chain) (link, bool) {
	if ch.policy != nil || ch.other != nil {
		return holds, true
	}
	if c.f.Own.ID != "" {
		return link{state: Unknown, said: c.f.Own}, true
	}
	if unread := ch.unread(); len(unread) > 0 {
		return unknown(sentence.ProofRepairersUnread(unread[0].Why)), true
	}
	return broken(sentence.ProofNoRule()), true
}

func (ch chain) wait() time.Duration {
	if ch.policy != nil {
		return ch.rule.For.Duration
	}
	return ch.theirs.For
}

func checkDuration(_ *checker, ch chain) (link, bool) {
	switch {
	case ch.by() == "":
		return link{}, false
	case ch.report.Lasts > 0 && ch.report.Lasts < ch.wait():
		return unknown(sentence.ProofEnds(duration.HumanDuration(ch.wait()), duration.HumanDuration(ch.report.Lasts))), true
	}
	return holds, true
}

func checkActuator(_ *checker, ch chain) (link, bool) {
	switch {
	case ch.by() == "":
		return link{}, false
	case ch.action() == v1alpha1.ActionNone:
		return link{state: Breaks, said: sentence.ProofLeftAlone(ch.by(), ch.rule.Name), severity: finding.Info}, true
	case ch.policy == nil:
		return holds, true
	}
	for _, p := range ch.permissions() {
		if p.Actuator == noActuator {
			l := broken(sentence.ProofNotOffered(string(p.Action), p.Message))
			if p.May == v1alpha1.MayUnknown { // A provider that is not available may offer it.
				l.state = Unknown
			}
			return l, true
		}
	}
	return holds, true
}

// noActuator is the actuator's name where none offers the action (api/v1alpha1).
const noActuator = "None"

func (ch chain) action() v1alpha1.Action {
	if ch.policy != nil {
		return ch.rule.Action
	}
	return ch.theirs.Action
}

// checkPermission is what the controller was answered. The permissions of other repairers are not checked.
func checkPermission(c *checker, ch chain) (link, bool) {
	if ch.policy == nil || ch.rule.Action == v1alpha1.ActionNone {
		return link{}, false
	}
	worst, asked := holds, false
	for _, p := range ch.permissions() {
		if p.Actuator == noActuator {
			continue
		}
		asked = true
		action := string(p.Action)
		group := ""
		if len(p.Groups) > 0 && ch.group != "" {
			group = "group/" + ch.group
		}
		switch {
		case p.May == v1alpha1.MayNo:
			worst = broken(sentence.ProofRefused(p.Actuator, action, group, p.Message))
		case p.May != v1alpha1.MayYes && worst.state != Breaks:
			worst = unknown(sentence.ProofPermissionUnknown(p.Actuator, action, group, p.Message))
		}
	}
	if worst.state != Breaks && c.provenByAction(ch) {
		return holds, true
	}
	if !asked {
		return unknown(sentence.ProofNotAsked(string(ch.rule.Action))), true
	}
	return worst, true
}

func checkBudget(_ *checker, ch chain) (link, bool) {
	if ch.policy == nil {
		return link{}, false
	}
	return ch.budgets[ch.policy.Name], true
}

// budgetCheck runs the guard's own check, once for each zone and group.
func budgetCheck(f *Facts) func(*v1alpha1.NodeRepairPolicy, *corev1.Node) link {
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
			asked[k] = guardLink("budgets", guard.Proposal{Node: guard.Node{Name: node.Name, Zone: k.zone, Group: k.group}, Policy: p.Spec}, facts)
			if f.Ledger == nil && asked[k].state != Breaks { // A budget of zero allows nothing, whatever is ongoing.
				asked[k] = f.noLedger()
			}
		}
		return asked[k]
	}
}

// noLedger is the link Budget without a ledger: it breaks if the ledger is damaged, since the controller cannot decode it either; unknown if this
// process may not read it.
func (f *Facts) noLedger() link {
	why := ""
	if f.LedgerUnread != nil {
		why = f.LedgerUnread.Error()
	}
	l := unknown(sentence.ProofLedgerUnread(why))
	if f.LedgerDamaged {
		l = broken(sentence.ProofLedgerDamaged(why))
	}
	l.ledger = true
	return l
}

// guardLink is the link of one check of the guard; a delay that is not permanent is Later.
func guardLink(check string, p guard.Proposal, f guard.Facts) link {
	checks := slices.DeleteFunc(guard.Checks(), func(c guard.Check) bool { return c.Name != check })
	verdict := guard.Decide(checks, p, f)
	switch {
	case verdict.Decision == guard.Allow:
		return holds
	case verdict.Permanent():
		return link{state: Breaks, said: verdict.Message}
	case verdict.Reason == guard.Unknown:
		return link{state: Unknown, said: verdict.Message}
	}
	return link{state: Later, said: verdict.Message, asks: verdict.Reason == guard.AwaitingApproval}
}

// checkMode is whether the policy may act: not while it is paused or in mode Report, and Later if a person must approve first.
func checkMode(c *checker, ch chain) (link, bool) {
	if ch.policy == nil {
		return link{}, false
	}
	p := guard.Proposal{Policy: ch.policy.Spec, Action: ch.rule.Action}
	if paused := guardLink("paused", p, guard.Facts{}); paused.state != Holds {
		return paused, true
	}
	l := guardLink("mode", p, guard.Facts{AsForecast: guard.Known(asForecast(ch), c.f.Now)})
	if l.state == Breaks {
		l.severity = finding.Info // A person chose the mode.
	}
	if l.state == Holds {
		return automateLink(ch.policy), true
	}
	return l, true
}

// automateLink is whether the controller's role permits it to act without an approval, by the policy's status. Older versions do not
// report it.
func automateLink(policy *v1alpha1.NodeRepairPolicy) link {
	found := meta.FindStatusCondition(policy.Status.Conditions, v1alpha1.PolicyUnasked)
	switch {
	case found == nil || found.Status == metav1.ConditionTrue || policy.Spec.Mode != v1alpha1.ModeAuto:
		return holds
	case found.Status == metav1.ConditionFalse:
		return link{state: Later, said: sentence.PermissionAutomate(), asks: true}
	}
	return link{state: Unknown, said: sentence.GuardUnknown("automate remediations.naosu.dev")}
}

// asForecast is how many Remediations with the rule's action turned out as forecast, as the controller has counted them.
func asForecast(ch chain) int {
	at := slices.IndexFunc(ch.policy.Status.AsForecastByAction, func(c v1alpha1.ActionCount) bool { return c.Action == ch.rule.Action })
	if at < 0 {
		return 0
	}
	return int(ch.policy.Status.AsForecastByAction[at].Count)
}

func checkCompeting(c *checker, ch chain) (link, bool) {
	if ch.policy == nil {
		return link{}, false
	}
	var others []string
	for _, other := range ch.competingRepairers() {
		others = append(others, other.String())
	}
	switch {
	case len(others) > 0:
		return broken(sentence.GuardCompeting(message.ListOf(others))), true
	case len(ch.unread()) > 0:
		return c.policyStatusLink(ch), true
	}
	return holds, true
}

// policyStatusLink is what the controller reports about other repairers, where this process may not read them: the controller may have
// permissions that people have not.
func (c *checker) policyStatusLink(ch chain) link {
	ready := meta.FindStatusCondition(ch.policy.Status.Conditions, v1alpha1.PolicyReady)
	switch {
	case ready == nil || ready.ObservedGeneration != ch.policy.Generation:
	case ready.Reason == v1alpha1.PolicyCompetingReason:
		return broken(sentence.ProofTold(ready.Message))
	case ready.Status == metav1.ConditionTrue && ch.providersAsked():
		return holds
	}
	return unknown(sentence.ProofRepairersUnread(ch.unread()[0].Why))
}

// providersAsked says whether the controller reached all providers that this process did not: it asked them for permissions.
func (ch chain) providersAsked() bool {
	for _, gap := range ch.unread() {
		if !slices.ContainsFunc(ch.policy.Status.Permissions, func(p v1alpha1.Permission) bool { return p.Actuator == gap.Provider }) {
			return false
		}
	}
	return true
}

// unread are the gaps because of which it is not known whether something else acts on the report's condition.
func (ch chain) unread() []cloud.Gap {
	var gaps []cloud.Gap
	for _, r := range ch.repairers {
		if !r.Known() && r.MayActOn(reportedCondition(ch.report)) {
			gaps = append(gaps, cloud.Gap{Why: r.Unknown})
		}
	}
	return append(gaps, ch.gaps...)
}

// competingRepairers are the other repairers that are known to act on the same nodes.
func (ch chain) competingRepairers() []change.Ref {
	var refs []change.Ref
	for _, other := range ch.repairers {
		if other.Known() {
			refs = append(refs, other.By)
		}
	}
	return refs
}

// checkController is whether a controller runs: it renews its lease.
func checkController(c *checker, ch chain) (link, bool) {
	if ch.policy == nil {
		return link{}, false
	}
	lease := c.f.Lease
	switch {
	case c.f.LeaseUnread.ID != "":
		return link{state: Unknown, said: c.f.LeaseUnread}, true
	case lease == nil || lease.Spec.HolderIdentity == nil || *lease.Spec.HolderIdentity == "" || lease.Spec.RenewTime == nil:
		return broken(sentence.ProofNoController()), true
	}
	valid := time.Minute // tolerates a clock skew of some seconds
	if lease.Spec.LeaseDurationSeconds != nil {
		valid = max(valid, 2*time.Duration(*lease.Spec.LeaseDurationSeconds)*time.Second)
	}
	if age := c.f.Now.Sub(lease.Spec.RenewTime.Time); age > valid {
		return broken(sentence.ProofControllerSilent(duration.HumanDuration(age))), true
	}
	if ch.policy.Status.ObservedGeneration < ch.policy.Generation {
		return unknown(sentence.ProofNotTakenUp(ch.by())), true
	}
	return holds, true
}
