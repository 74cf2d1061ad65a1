package remediations

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cli/own"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// columns are kubectl's, which the CRD names, and a few more on a wide page.
var (
	columns = []string{"NAME", "NODE", "REASON", "ACTION", "PHASE", "OUTCOME", "AGE"}
	wide    = []string{"NAME", "NODE", "REASON", "ACTION", "PHASE", "OUTCOME", "POLICY", "APPROVAL", "AGE", "HELD BY"}
)

func heads(page *output.Page) []string {
	if page.Wide {
		return wide
	}
	return columns
}

// row is a Remediation in the columns of a page.
func row(page *output.Page, r *v1alpha1.Remediation, now time.Time) []string {
	cells := []string{r.Name, cmp.Or(r.Spec.Node.Name, own.SubjectOf(r)), why(r), what(r), string(cmp.Or(r.Status.Phase, v1alpha1.PhaseProposed)), outcome(r)}
	age := duration.HumanDuration(now.Sub(r.CreationTimestamp.Time))
	if page.Wide {
		return append(cells, r.Spec.Policy.Name, string(r.Spec.Approval), age, holds(r))
	}
	return append(cells, age)
}

func writeAll(page *output.Page, say message.Printer, listed Listed, now time.Time) error {
	if len(listed.Remediations) == 0 {
		page.Paragraph("", say.Say(sentence.RemediationsNone()), output.Plain)
	}
	var rows [][]string
	for i := range listed.Remediations {
		rows = append(rows, row(page, &listed.Remediations[i], now))
	}
	page.Table("", heads(page), rows)
	if len(listed.Policies) > 0 {
		page.Blank()
	}
	for _, p := range listed.Policies {
		var actions []string
		for _, one := range p.ByAction {
			actions = append(actions, fmt.Sprintf("%s %d/%d", one.Action, one.Count, p.Wanted))
		}
		page.Paragraph("", say.Say(sentence.RemediationsEarned("noderepairpolicy/"+p.Name, string(p.Mode), int(p.AsForecast), int(p.Wanted), message.ListOf(actions))), output.Plain)
	}
	return failed(page)
}

func failed(page *output.Page) error {
	if err := page.Err(); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

func why(r *v1alpha1.Remediation) string {
	if r.Spec.Drill != nil {
		return r.Spec.Drill.Reason
	}
	return cmp.Or(r.Spec.Evidence.Reason, r.Spec.Evidence.Finding)
}

// policy is whose proposal it is; empty for a drill and for a request.
func policy(r *v1alpha1.Remediation) string {
	if r.Spec.Policy.Kind == "" {
		return ""
	}
	return change.Ref{Kind: r.Spec.Policy.Kind, Name: r.Spec.Policy.Name}.String()
}

// requestedBy is the user who requested it; empty if nobody did.
func requestedBy(r *v1alpha1.Remediation) string {
	if r.Spec.Request == nil {
		return ""
	}
	return r.Spec.Request.By
}

func what(r *v1alpha1.Remediation) string {
	switch {
	case r.Spec.Drill != nil:
		return "Drill" + string(r.Spec.Drill.Depth)
	case r.Spec.Service() != "":
		return string(r.Spec.Action()) + " " + r.Spec.Service()
	case len(r.Spec.Changes) > 1:
		return fmt.Sprintf("%s +%d", r.Spec.Action(), len(r.Spec.Changes)-1)
	}
	return string(r.Spec.Action())
}

func outcome(r *v1alpha1.Remediation) string {
	if end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded); end != nil {
		return end.Reason
	}
	return ""
}

// holds is the check that does not let it go on.
func holds(r *v1alpha1.Remediation) string {
	if allowed := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationAllowed); allowed != nil && allowed.Status != metav1.ConditionTrue && r.Status.Phase != v1alpha1.PhaseEnded {
		return allowed.Reason
	}
	return ""
}

// writeOne puts a Remediation on a page: what and why, what was forecast and what became of it, what was done, and what the
// guard says. What the controller wrote is quoted as it stands.
func writeOne(page *output.Page, say message.Printer, r *v1alpha1.Remediation) error {
	w := writer{page, say}
	w.Paragraph("", say.Say(sentence.RemediationIs(
		r.Name,
		what(r),
		own.SubjectOf(r),
		cmp.Or(r.Spec.Evidence.Condition, drilled(r)),
		why(r),
		string(cmp.Or(r.Status.Phase, v1alpha1.PhaseProposed)),
		outcome(r),
		string(r.Spec.Approval),
		policy(r),
		r.Spec.Policy.Rule,
		requestedBy(r),
	)), output.Strong)
	if end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded); end != nil && end.Message != "" {
		w.Paragraph("  ", end.Message, output.Plain)
	}
	w.forecast(r)
	w.steps(r)
	w.verdicts(r)
	return failed(page)
}

func drilled(r *v1alpha1.Remediation) string {
	switch {
	case r.Spec.Drill != nil && r.Spec.Drill.Condition != "":
		return r.Spec.Drill.Condition
	case r.Status.Agent != nil && r.Status.Agent.Evidence != nil:
		return r.Status.Agent.Evidence.Condition
	}
	return ""
}

type writer struct {
	*output.Page
	say message.Printer
}

func (w writer) head(title message.Sentence) {
	w.Blank()
	w.Paragraph("", strings.ToUpper(w.say.Say(title)), output.Heading)
}

// forecast is what was to become of pods. Whether it did, Succeeded tells.
func (w writer) forecast(r *v1alpha1.Remediation) {
	f := r.Status.Forecast
	if f == nil {
		return
	}
	w.head(sentence.RemediationForecast())
	if len(f.Pods) == 0 {
		w.Paragraph("  ", w.say.Say(sentence.RemediationNoPods()), output.Plain)
	}
	var rows [][]string
	var losing []string
	for _, pod := range f.Pods {
		if len(pod.LocalData) > 0 {
			losing = append(losing, pod.Namespace+"/"+pod.Name+" ("+strings.Join(pod.LocalData, ", ")+")")
		}
		owner := ""
		if pod.Owner != nil {
			owner = strings.ToLower(pod.Owner.Kind) + "/" + pod.Owner.Name
		}
		rows = append(rows, []string{pod.Fate, pod.Namespace + "/" + pod.Name, owner, pod.Node})
	}
	w.Table("  ", []string{"FATE", "POD", "OWNER", "NODE"}, rows)
	if f.Omitted > 0 {
		w.Paragraph("  ", w.say.Say(sentence.RemediationOmitted(int(f.Omitted))), output.Faint)
	}
	if len(losing) > 0 {
		w.Paragraph("  ", w.say.Say(sentence.RemediationLoses(len(losing), message.ListOf(losing))), output.Plain)
	}
	w.Paragraph("  ", w.say.Say(sentence.RemediationBecame(f.At.UTC().Format(time.RFC3339), outcome(r))), output.Plain)
}

func (w writer) steps(r *v1alpha1.Remediation) {
	if len(r.Status.Steps) == 0 {
		return
	}
	w.head(sentence.RemediationSteps())
	var rows [][]string
	for _, step := range r.Status.Steps {
		took := ""
		if step.EndedAt != nil {
			took = step.EndedAt.Sub(step.StartedAt.Time).Round(time.Millisecond).String()
		}
		text := step.Message
		if step.Actuator != "" {
			text = strings.TrimSpace(step.Actuator + " " + step.Operation + " " + text)
		}
		rows = append(rows, []string{string(step.Name), step.StartedAt.UTC().Format(time.TimeOnly), took, string(step.Result), text})
	}
	w.Table("  ", []string{"STEP", "AT", "TOOK", "RESULT", ""}, rows)
}

// verdicts are the guard's that do not allow, and how many do.
func (w writer) verdicts(r *v1alpha1.Remediation) {
	if len(r.Status.Verdicts) == 0 {
		return
	}
	w.head(sentence.RemediationVerdicts())
	allowed := 0
	var rows [][]string
	for _, v := range r.Status.Verdicts {
		if v.Decision == v1alpha1.DecisionAllow && !w.Wide {
			allowed++
			continue
		}
		gloss := w.say.Say(message.Label("Check/" + v.Check))
		rows = append(rows, []string{v.Check, string(v.Decision), strings.TrimSpace(gloss + " " + v.Message)})
	}
	if len(rows) == 0 {
		w.Paragraph("  ", w.say.Say(sentence.ActionAllowed()), output.Faint)
		return
	}
	w.Table("  ", []string{"CHECK", "DECISION", ""}, rows)
	if allowed > 0 {
		w.Paragraph("  ", w.say.Say(sentence.RemediationAllowed(allowed)), output.Faint)
	}
}
