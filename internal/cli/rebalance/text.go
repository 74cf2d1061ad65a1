package rebalance

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/rebalance"
)

// writePlan writes a plan for people: what is known of it, the evictions by wave, and the workloads before and after.
func writePlan(page *output.Page, say message.Printer, plan rebalance.Plan) {
	evictions := evictionsOf(plan)
	page.Paragraph("", say.Say(summary(plan, evictions)), output.Strong)
	if evictions > 0 {
		page.Blank()
		writeWaves(page, say, plan.Waves)
		page.Blank()
		writeDistributions(page, say, plan.Workloads)
	}
	writeUtilization(page, say, plan.Nodes)
}

// writeCommands writes the commands for the evictions.
func writeCommands(page *output.Page, say message.Printer, plan rebalance.Plan, aim func(string) string) {
	if len(plan.Waves) == 0 {
		return
	}
	page.Blank()
	page.Paragraph("", say.Say(sentence.PlanHowTo()), output.Plain)
	for _, wave := range plan.Waves {
		for _, m := range wave.Moves {
			page.Command("  ", aim(change.Evict{Namespace: m.Pod.Namespace, Name: m.Pod.Name}.Command()))
		}
	}
}

// writeUnmet writes why workloads stay out of balance, and nodes overutilized.
func writeUnmet(page *output.Page, say message.Printer, plan rebalance.Plan) {
	var staying []message.Sentence
	for _, unmet := range plan.Unmet {
		staying = append(staying, unmet.Sentence(unmet.Workload))
	}
	for _, node := range plan.Nodes {
		if node.Excess > 0 {
			staying = append(staying, node.Sentence())
		}
	}
	if len(staying) > 0 {
		page.Blank()
	}
	for _, why := range staying {
		page.Paragraph("- ", say.Say(why), output.Plain)
	}
}

func evictionsOf(plan rebalance.Plan) (n int) {
	for _, wave := range plan.Waves {
		n += len(wave.Moves)
	}
	return n
}

// writeObstacle writes why utilization was not considered although that was asked for.
func writeObstacle(page *output.Page, say message.Printer, obstacle message.Sentence) {
	if !obstacle.IsZero() {
		page.Blank()
		page.Paragraph("", say.Say(obstacle), output.Plain)
	}
}

func summary(plan rebalance.Plan, evictions int) message.Sentence {
	switch plan.Result {
	case rebalance.Balanced:
		return sentence.PlanBalanced()
	case rebalance.None:
		if len(plan.Nodes) > 0 {
			return sentence.PlanNoneForNodes(len(plan.Unmet), len(plan.Nodes))
		}
		return sentence.PlanNone(len(plan.Unmet))
	case rebalance.Minimal:
		return sentence.PlanMinimal(evictions, len(plan.Waves))
	}
	return sentence.PlanIrreducible(evictions, len(plan.Waves), plan.Bound)
}

func writeWaves(page *output.Page, say message.Printer, waves []rebalance.Wave) {
	var rows [][]string
	for i, wave := range waves {
		for _, m := range wave.Moves {
			rows = append(rows, []string{strconv.Itoa(i + 1), m.Pod.Namespace, m.Pod.Name, m.From, strings.Join(m.To, ", "), say.Say(m.Why.Sentence())})
		}
	}
	page.Table("", []string{say.Say(sentence.PlanHeadWave()), "NAMESPACE", "POD", say.Say(sentence.PlanHeadFrom()), say.Say(sentence.PlanHeadTo()), say.Say(sentence.PlanHeadWhy())}, rows)
}

// writeDistributions draws each workload's pods by node, before and after.
func writeDistributions(page *output.Page, say message.Printer, all []rebalance.Distribution) {
	var rows [][]string
	for _, d := range all {
		nodes := maps.Clone(d.Before)
		maps.Copy(nodes, d.After)
		name := output.Name(d.Workload)
		for _, node := range slices.Sorted(maps.Keys(nodes)) {
			rows = append(rows, []string{name, node, bar(d.Before[node]), bar(d.After[node])})
			name = ""
		}
	}
	page.Table("", []string{say.Say(sentence.PlanHeadWorkload()), say.Say(sentence.PlanHeadNode()), say.Say(sentence.PlanHeadBefore()), say.Say(sentence.PlanHeadAfter())}, rows)
}

// writeUtilization shows what is requested of overutilized nodes, before and after, of the resources of which it is too much.
func writeUtilization(page *output.Page, say message.Printer, nodes []rebalance.NodeUtilization) {
	var rows [][]string
	for _, n := range nodes {
		for _, of := range []struct {
			resource            string
			most, before, after int
		}{{"cpu", n.Most.CPU, n.Before.CPU, n.After.CPU}, {"memory", n.Most.Memory, n.Before.Memory, n.After.Memory}} {
			if max(of.before, of.after) > of.most {
				rows = append(rows, []string{n.Node, of.resource, percent(of.most), percent(of.before), percent(of.after)})
			}
		}
	}
	if len(rows) == 0 {
		return
	}
	page.Blank()
	page.Table("", []string{say.Say(sentence.PlanHeadNode()), say.Say(sentence.PlanHeadResource()), say.Say(sentence.PlanHeadMost()), say.Say(sentence.PlanHeadBefore()), say.Say(sentence.PlanHeadAfter())}, rows)
}

func percent(n int) string { return strconv.Itoa(n) + "%" }

// mostDots is up to how many pods are drawn.
const mostDots = 20

func bar(n int) string {
	return strings.TrimSpace(strings.Repeat("●", min(n, mostDots)) + " " + strconv.Itoa(n))
}
