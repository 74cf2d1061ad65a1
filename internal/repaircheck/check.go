package repaircheck

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// Check says, for everything that an agent in the cluster can report, and for everything that a rule waits for and no agent reports,
// whether a repair would follow. Rows are in the order of agents, conditions and reasons.
func Check(f Facts) []Row {
	c := newChecker(&f)
	var rows []Row
	for _, report := range c.reports {
		for _, p := range c.reportGroups(report) {
			rows = append(rows, c.rows(p)...)
		}
	}
	return merge(append(rows, c.unreported()...))
}

// checker holds what is the same for every report.
type checker struct {
	f       *Facts
	classes map[string]*nodeClass
	classOf map[string]*nodeClass // by node
	// reports are what the agents in the cluster can report.
	reports []Report
	// emitted are the conditions that an agent changes for some reason; a rule about another is never met.
	emitted map[emission]bool
}

func newChecker(f *Facts) *checker {
	c := &checker{f: f, classes: map[string]*nodeClass{}, classOf: map[string]*nodeClass{}, reports: clusterReports(f), emitted: map[emission]bool{}}
	c.classifyNodes()
	for _, r := range c.reports {
		if r.Severity == reason.Fatal && r.NeverReported.IsZero() {
			c.emitted[emission{r.Agent, r.Condition}] = true
		}
	}
	return c
}

type emission struct {
	agent     Agent
	condition string
}

// nodeClass is an equivalence class of nodes: the same policies select them, with the same budgets and permissions, and the same other
// repairers act on them.
type nodeClass struct {
	// group is that of its first node. Permissions are the same for the others.
	group     string
	policies  []*v1alpha1.NodeRepairPolicy
	budgets   map[string]link // by policy
	repairers []*cloud.Repairer
	// gaps are providers that could not be used.
	gaps  []cloud.Gap
	nodes []*corev1.Node
}

func (c *checker) classifyNodes() {
	selected := map[string][]*v1alpha1.NodeRepairPolicy{}
	policies := slices.Clone(c.f.Policies)
	slices.SortFunc(policies, func(a, b v1alpha1.NodeRepairPolicy) int { return cmp.Compare(a.Name, b.Name) })
	for i := range policies {
		for _, node := range repairpolicy.Selected(&policies[i], c.f.Nodes) {
			selected[node.Name] = append(selected[node.Name], &policies[i])
		}
	}
	others := map[string][]*cloud.Repairer{}
	for i := range c.f.Repairers {
		for _, node := range c.f.Repairers[i].Nodes {
			others[node] = append(others[node], &c.f.Repairers[i])
		}
	}
	budget := budgetCheck(c.f)
	for _, node := range c.f.Nodes {
		group := c.f.Groups[node.Name]
		one := nodeClass{group: group, policies: selected[node.Name], repairers: others[node.Name], budgets: map[string]link{}}
		var key strings.Builder
		for _, p := range one.policies {
			room := budget(p, node)
			one.budgets[p.Name] = room
			fmt.Fprintf(&key, "%s=%s%s%s|", p.Name, room.state, room.said.Key(), permissionKey(p, group))
		}
		for _, r := range one.repairers {
			fmt.Fprintf(&key, "%p|", r)
		}
		for _, gap := range c.f.Gaps {
			if gap.Provider == "" || strings.HasPrefix(node.Spec.ProviderID, gap.Provider) {
				one.gaps = append(one.gaps, gap)
			}
		}
		fmt.Fprint(&key, len(one.gaps))
		if c.classes[key.String()] == nil {
			c.classes[key.String()] = &one
		}
		known := c.classes[key.String()]
		known.nodes = append(known.nodes, node)
		c.classOf[node.Name] = known
	}
}

// reportGroup is the nodes of a class that a report may come from, and on which its condition is equally up to date.
type reportGroup struct {
	*nodeClass
	report     Report
	heartbeat  heartbeat
	notWatched string
	nodes      []*corev1.Node
}

// heartbeat is how up to date a condition is on a node.
type heartbeat string

const (
	heartbeatFresh  heartbeat = "fresh"
	heartbeatStale  heartbeat = "silent"
	conditionAbsent heartbeat = "absent"
)

// reportGroups are the nodes that a report may come from, in groups. A node whose condition another agent writes is in none.
func (c *checker) reportGroups(r Report) []reportGroup {
	var parts []reportGroup
	at := map[string]int{}
	for _, node := range c.f.Nodes {
		condition, there := conditionOf(node, r.Condition)
		p := reportGroup{nodeClass: c.classOf[node.Name], report: r, heartbeat: heartbeatFresh}
		switch beat := condition.LastHeartbeatTime; {
		case lacksDevice(node, r.Condition):
			continue
		case r.Agent == Kubelet:
		case !there:
			p.heartbeat = conditionAbsent
		case writer(condition) != r.Agent:
			continue
		case !beat.IsZero() && c.f.Now.Sub(beat.Time) > reason.SilentAfter:
			p.heartbeat = heartbeatStale
		}
		if there && r.Agent == Naosu {
			p.notWatched = notWatched(condition, r.Reason)
		}
		key := fmt.Sprintf("%p %s %s", p.nodeClass, p.heartbeat, p.notWatched)
		i, known := at[key]
		if !known {
			i = len(parts)
			at[key], parts = i, append(parts, p)
		}
		parts[i].nodes = append(parts[i].nodes, node)
	}
	return parts
}

// chain is a report on some nodes and the repairer that would act on it.
type chain struct {
	reportGroup
	// policy would act by rule, or other by theirs; without either there is no repairer.
	policy *v1alpha1.NodeRepairPolicy
	rule   v1alpha1.RepairRule
	other  *cloud.Repairer
	theirs cloud.RepairerRule
}

// rows are the rows of a report: one for each repairer that would act on it, or one without a repairer.
func (c *checker) rows(p reportGroup) []Row {
	var rows []Row
	evidence := v1alpha1.Evidence{Condition: p.report.Condition, Status: p.report.Status, Reason: p.report.Reason}
	for _, policy := range p.policies { // The first that has a rule decides, as in repairpolicy.Propose.
		if found, met := repairpolicy.MatchLasting(policy.Spec.Rules, evidence); met {
			rows = append(rows, c.row(chain{reportGroup: p, policy: policy, rule: found.Rule}))
			break
		}
	}
	condition := reportedCondition(p.report)
	for _, other := range p.repairers {
		if i := slices.IndexFunc(other.Rules, func(r cloud.RepairerRule) bool { return r.Matches(condition) }); other.Known() && i >= 0 {
			rows = append(rows, c.row(chain{reportGroup: p, other: other, theirs: other.Rules[i]}))
		}
	}
	if len(rows) == 0 {
		rows = append(rows, c.row(chain{reportGroup: p}))
	}
	return rows
}

// reportedCondition is the condition that a report sets.
func reportedCondition(r Report) corev1.NodeCondition {
	return corev1.NodeCondition{Type: corev1.NodeConditionType(r.Condition), Status: corev1.ConditionStatus(r.Status), Reason: r.Reason}
}

// unreported are rows for what rules wait for and no agent reports: the condition, its status, or the reason.
func (c *checker) unreported() []Row {
	var rows []Row
	reported := func(condition, status, why string) bool {
		return slices.ContainsFunc(c.reports, func(r Report) bool {
			return r.Condition == condition && string(r.Status) == status && (why == anyReason || r.Reason == why)
		})
	}
	add := func(ch chain, condition, status string, reasons []string) {
		if len(reasons) == 0 {
			reasons = []string{anyReason}
		}
		for _, why := range reasons {
			if !reported(condition, status, why) {
				ch.report = Report{Condition: condition, Status: metav1.ConditionStatus(status), Reason: why, Severity: reason.Fatal}
				rows = append(rows, c.row(ch))
			}
		}
	}
	for _, one := range c.sortedClasses() {
		p := reportGroup{nodeClass: one, nodes: one.nodes}
		for _, policy := range one.policies {
			for _, rule := range policy.Spec.Rules {
				if rule.Action != v1alpha1.ActionNone {
					add(chain{reportGroup: p, policy: policy, rule: rule}, rule.Condition, string(rule.Status), rule.Reasons)
				}
			}
		}
		for _, other := range one.repairers {
			for _, rule := range other.Rules {
				if other.Known() && rule.Action != v1alpha1.ActionNone {
					add(chain{reportGroup: p, other: other, theirs: rule}, string(rule.Condition), string(rule.Status), rule.Reasons)
				}
			}
		}
	}
	return rows
}

const anyReason = "*"

func (c *checker) sortedClasses() []*nodeClass {
	var all []*nodeClass
	for _, one := range c.classes {
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b *nodeClass) int { return cmp.Compare(a.nodes[0].Name, b.nodes[0].Name) })
	return all
}

// row checks the links of a chain.
func (c *checker) row(ch chain) Row {
	row := Row{
		Agent: ch.report.Agent, Condition: ch.report.Condition, Status: ch.report.Status, Reason: ch.report.Reason, Severity: ch.report.Severity,
		Nodes: len(ch.nodes), On: names(ch.nodes), By: ch.by(), Verdict: WouldAct, policy: ch.policy != nil, severity: c.severity(ch),
	}
	if ch.heartbeat == heartbeatFresh {
		row.Fresh = len(ch.nodes)
	}
	switch {
	case ch.policy != nil:
		row.competingRepairers = ch.competingRepairers()
		row.Rule, row.wait, row.Action, row.Mode = ch.rule.Name, ch.rule.For.Duration, ch.rule.Action, ch.policy.Spec.Mode
	case ch.other != nil:
		row.wait, row.Action = ch.theirs.For, ch.theirs.Action
	}
	if row.By != "" {
		row.For = row.wait.String()
	}
	for _, test := range linkChecks {
		l, ok := test.of(c, ch)
		if !ok {
			continue
		}
		row.add(test.name, l)
	}
	return row
}

// add adds a link. The first that breaks decides about the row, else the first that is not known, else that a person must approve.
func (r *Row) add(name LinkName, l link) {
	r.Links = append(r.Links, Link{name, l.state, l.said})
	if l.proof != nil {
		r.Proof = l.proof
	}
	switch {
	case r.Verdict == Broken:
	case l.state == Breaks, l.state == Unknown && r.Holds():
		r.Verdict = map[State]Verdict{Breaks: Broken, Unknown: Unproven}[l.state]
		r.BrokenLink, r.Message, r.Code, r.ledger = name, l.said, finding.N302, l.ledger
		if l.severity != "" {
			r.severity = l.severity
		}
	case l.asks && r.Verdict == WouldAct:
		r.Verdict, r.Message = NeedsApproval, l.said
	case l.state == Later && r.Message.IsZero():
		r.Message = l.said
	}
}

// by is the repairer that would act; empty if there is none.
func (ch chain) by() string {
	switch {
	case ch.policy != nil:
		return "noderepairpolicy/" + ch.policy.Name
	case ch.other != nil:
		return ch.other.By.String()
	}
	return ""
}

// severity is that of a broken chain: a repair is expected where a reason is fatal, where a rule names it, or where a rule waits for a
// condition that the agent never changes.
func (c *checker) severity(ch chain) finding.Severity {
	r := ch.report
	if r.Agent == Nobody && ch.policy == nil {
		return finding.Info // Other repairers have rules for everything that may be on any cluster.
	}
	inVain := ch.by() != "" && !c.emitted[emission{r.Agent, r.Condition}]
	if r.Severity == reason.Fatal || inVain || slices.Contains(ch.rule.Reasons, r.Reason) || slices.Contains(ch.theirs.Reasons, r.Reason) {
		return finding.Warning
	}
	return finding.Info
}

func names(nodes []*corev1.Node) []string {
	all := []string{}
	for _, node := range nodes[:min(len(nodes), maxNodesPerRow)] {
		all = append(all, node.Name)
	}
	return all
}

// merge joins rows that differ in nothing but their nodes.
func merge(rows []Row) []Row {
	merged := []Row{}
	at := map[string]int{}
	for _, row := range rows {
		key := fmt.Sprint(row.Agent, row.Condition, row.Status, row.Reason, row.By, row.Rule, row.Verdict, row.Links)
		i, known := at[key]
		if !known {
			at[key] = len(merged)
			merged = append(merged, row)
			continue
		}
		m := &merged[i]
		m.Nodes, m.Fresh = m.Nodes+row.Nodes, m.Fresh+row.Fresh
		m.On = append(m.On, row.On...)
		m.On = m.On[:min(len(m.On), maxNodesPerRow)]
	}
	return merged
}
