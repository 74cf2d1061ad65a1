package guard

import (
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// underRepair delays a second Remediation of a node or machine, of whatever concern.
func underRepair(p Proposal, f Facts) Verdict {
	if !f.Ledger.known() {
		return unknown("ledger")
	}
	for _, e := range f.Ledger.Value.OngoingExcept(p.holder()) {
		if e.Node != p.Node.Name && !e.Machine().Equal(p.Node.Machine()) {
			continue
		}
		node, by := "node/"+e.Node, "remediation/"+e.Remediation
		if e.Replacing != "" {
			return delay(InHand, longRetry, sentence.GuardReplacing(by, node))
		}
		return delay(InHand, shortRetry, sentence.GuardInHand(by, node))
	}
	return allow
}

// scope is a part of the cluster that has a budget.
type scope struct {
	name          string
	budget        *intstr.IntOrString
	includesNode  func(Node) bool
	includesEntry func(ledger.Entry) bool
}

func scopes(p Proposal) []scope {
	b, n := p.Policy.Budgets, p.Node
	return []scope{
		{"zone/" + n.Zone, b.Zone, func(o Node) bool { return o.Zone == n.Zone }, func(e ledger.Entry) bool { return e.Zone == n.Zone }},
		{"group/" + n.Group, b.Group, func(o Node) bool { return o.Group == n.Group }, func(e ledger.Entry) bool { return e.Group == n.Group }},
		{"cluster", b.Cluster, func(Node) bool { return true }, func(ledger.Entry) bool { return true }},
	}
}

func budgets(p Proposal, f Facts) Verdict {
	switch {
	case !f.Ledger.known():
		return unknown("ledger")
	case !f.Nodes.known():
		return unknown("nodes")
	}
	worst := allow
	for _, s := range scopes(p) {
		if verdict := s.verdict(p, f); worse(verdict, worst) {
			worst = verdict
		}
	}
	return worst
}

func (s scope) verdict(p Proposal, f Facts) Verdict {
	total := 0
	for _, node := range f.Nodes.Value {
		if s.includesNode(node) {
			total++
		}
	}
	out := map[string]bool{}
	for _, e := range f.Ledger.Value.OngoingExcept(p.holder()) {
		if s.includesEntry(e) {
			out[e.Node] = true
		}
	}
	switch limit := budgetNodes(s.budget, total); {
	case limit == 0:
		return deny(BudgetZero, sentence.GuardBudgetZero(s.name, budgetText(s.budget), total))
	case len(out) >= limit:
		return delay(BudgetFull, shortRetry, sentence.GuardBudgetFull(s.name, len(out), limit))
	}
	return allow
}

// budgetNodes is a budget as a number of nodes: a percentage is rounded down, and an invalid budget is 0.
func budgetNodes(budget *intstr.IntOrString, total int) int {
	switch {
	case budget == nil:
		return 0
	case budget.Type == intstr.Int:
		return max(0, budget.IntValue())
	}
	share, found := strings.CutSuffix(budget.StrVal, "%")
	percent, err := strconv.Atoi(share)
	if err != nil || !found || percent < 0 || percent > 100 {
		return 0
	}
	return total * percent / 100
}

func budgetText(budget *intstr.IntOrString) string {
	if budget == nil {
		return "0"
	}
	return budget.String()
}
