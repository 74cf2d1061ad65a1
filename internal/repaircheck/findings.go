package repaircheck

import (
	"cmp"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// maxRowsPerFinding bounds the reasons that a finding names.
const maxRowsPerFinding = 4

// Findings are N302 for repairs that would not follow, or are not known to: one for each cause, however many reasons it concerns.
func Findings(rows []Row) []finding.Finding {
	type key struct {
		condition, by string
		link          LinkName
		why           string
		severity      finding.Severity
	}
	groups := map[key][]Row{}
	var order []key
	for _, row := range rows {
		if row.Holds() {
			continue
		}
		k := key{row.Condition, row.By, row.BrokenLink, row.Message.Key(), row.severity}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], row)
	}
	found := []finding.Finding{}
	for _, k := range order {
		found = append(found, describe(groups[k]))
	}
	slices.SortStableFunc(found, func(a, b finding.Finding) int { return cmp.Compare(a.Severity.Rank(), b.Severity.Rank()) })
	return found
}

func describe(rows []Row) finding.Finding {
	first := rows[0]
	var reasons []string
	nodes := 0
	for _, row := range rows {
		if !slices.Contains(reasons, row.Reason) {
			reasons = append(reasons, row.Reason)
		}
		nodes = max(nodes, row.Nodes)
	}
	more := max(0, len(reasons)-maxRowsPerFinding)
	shown := message.ListOf(reasons[:len(reasons)-more])
	if more > 0 {
		shown = append(shown, sentence.ProofMore(more))
	}
	f := finding.Finding{
		Code: finding.N302, Severity: first.severity, Subjects: subjects(first), Causes: []finding.Link{}, RuledOut: []finding.Link{},
		Remedies: remedies(first), Unknown: []finding.Gap{},
		Message: sentence.ProofFinding(shown, first.Condition, nodes, first.Verdict == Broken, first.Message),
	}
	for _, l := range first.Links {
		if !l.Message.IsZero() && l.Link != first.BrokenLink {
			f.Causes = append(f.Causes, finding.Link{Message: l.Message, Evidence: []finding.Evidence{}})
		}
	}
	return f
}

// subjects are the policy, or another repairer that would act, and else the nodes.
func subjects(row Row) []change.Ref {
	kind, name, _ := strings.Cut(row.By, "/")
	switch {
	case row.policy:
		return []change.Ref{{Kind: "NodeRepairPolicy", Name: name}}
	case row.By != "":
		return []change.Ref{{Kind: kind, Name: name}}
	}
	refs := make([]change.Ref, len(row.On))
	for i, node := range row.On {
		refs[i] = change.Ref{Kind: "Node", Name: node}
	}
	return refs
}

// remedies are what a person can do about the link; some links have none.
func remedies(row Row) []finding.Remedy {
	node := "<NODE>"
	if len(row.On) > 0 {
		node = row.On[0]
	}
	_, policy, _ := strings.Cut(row.By, "/")
	one := func(said message.Sentence, command string) []finding.Remedy {
		return []finding.Remedy{{Message: said, Command: command}}
	}
	switch {
	case row.BrokenLink == Proven && row.policy:
		return one(sentence.ProofRemedyDrill(), "naosu repair drill node/"+node+" --reason "+row.Reason)
	case row.BrokenLink == Proven:
		raise := one(sentence.ProofRemedyRaise(row.By), "naosu repair drill node/<NODE> --act --expendable node/<NODE> --condition "+row.Condition+" --reason "+row.Reason)
		raise[0].Risk = sentence.ProofRemedyRaiseRisk()
		return raise
	case row.BrokenLink == Competing && len(row.competingRepairers) > 0:
		return one(sentence.ProofRemedySwitchOff(row.competingRepairers[0].String()), disableCommand(row.competingRepairers[0]))
	case row.BrokenLink == Budget && row.ledger:
		return one(sentence.ProofRemedyLedger(), "kubectl -n naosu-system get configmap naosu-ledger -o yaml")
	case row.BrokenLink == Budget:
		return one(sentence.ProofRemedyBudget(row.By), `kubectl patch noderepairpolicy `+policy+` --type merge -p '{"spec":{"budgets":{"zone":1,"group":1,"cluster":1}}}'`)
	case row.BrokenLink == Mode:
		return one(sentence.ProofRemedyMode(row.By), `kubectl patch noderepairpolicy `+policy+` --type merge -p '{"spec":{"mode":"Approve","paused":false}}'`)
	case row.BrokenLink == Controller:
		return one(sentence.ProofRemedyController(), "kubectl -n naosu-system get lease,pods")
	case row.BrokenLink == Fresh && row.Agent != Kubelet:
		return one(sentence.ProofRemedyAgent(string(row.Agent)), "kubectl get pods -A -o wide --field-selector spec.nodeName="+node)
	case row.BrokenLink == Permitted:
		return one(sentence.ProofRemedyPermissions(), "kubectl get noderepairpolicy "+policy+" -o jsonpath='{.status.permissions}'")
	}
	return []finding.Remedy{}
}

// disableCommand is the command that disables another repairer; empty where that is not one command.
func disableCommand(by change.Ref) string {
	switch by.Kind {
	case "Group":
		return "aws eks update-nodegroup-config --cluster-name <CLUSTER> --nodegroup-name " + by.Name + " --node-repair-config enabled=false"
	case "MachineHealthCheck":
		return "kubectl -n <NAMESPACE> annotate machinehealthcheck " + by.Name + " cluster.x-k8s.io/paused="
	}
	return ""
}
