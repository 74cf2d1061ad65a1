package play

import (
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// observeNaosu says what a change of one of naosu's objects means. Of them only Remediations tell a story.
func observeNaosu(before, after *unstructured.Unstructured) []Event {
	if after == nil || after.GetKind() != "Remediation" {
		return nil
	}
	var events []Event
	say := func(format string, args ...any) {
		events = append(events, Event{Sort: Repair, Object: "remediation/" + after.GetName(), Message: fmt.Sprintf(format, args...)})
	}
	if before == nil {
		say("%s proposed: %s", planOf(after), textAt(after, "spec", "evidence", "reason"))
		before = &unstructured.Unstructured{Object: map[string]any{}}
	}
	was, is := stepsOf(before), stepsOf(after)
	for i, step := range is {
		if i >= len(was) || step != was[i] {
			say("step %s%s", step.name, step.end())
		}
	}
	if phase := textAt(after, "status", "phase"); phase != textAt(before, "status", "phase") {
		say("%s", phase)
	}
	if end := succeeded(after); end != "" && end != succeeded(before) {
		say("%s", end)
	}
	return events
}

// planOf is what a Remediation is to do: the action on its node, or how many changes, such as Evict of 2.
func planOf(u *unstructured.Unstructured) string {
	plan, _, _ := unstructured.NestedSlice(u.Object, "spec", "plan")
	action := textAt(u, "spec", "action") // of records of older versions
	if len(plan) > 0 {
		first, _ := plan[0].(map[string]any)
		action, _, _ = unstructured.NestedString(first, "action")
	}
	if node := textAt(u, "spec", "node", "name"); node != "" {
		return action + " of node/" + node
	}
	return fmt.Sprintf("%s of %d", action, len(plan))
}

func textAt(u *unstructured.Unstructured, path ...string) string {
	text, _, _ := unstructured.NestedString(u.Object, path...) // what is not there says nothing
	return text
}

// remedyStep is one that a Remediation has written down.
type remedyStep struct{ name, result, message string }

func (s remedyStep) end() string {
	switch {
	case s.result == "":
		return " begun"
	case s.message == "":
		return " " + s.result
	}
	return " " + s.result + ": " + s.message
}

func stepsOf(u *unstructured.Unstructured) []remedyStep {
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "steps")
	steps := make([]remedyStep, 0, len(list))
	for _, entry := range list {
		fields, _ := entry.(map[string]any)
		text := func(name string) string { s, _ := fields[name].(string); return s }
		steps = append(steps, remedyStep{text("name"), text("result"), text("message")})
	}
	return steps
}

// succeeded is how a Remediation has ended, such as "Succeeded: AsForecast".
func succeeded(u *unstructured.Unstructured) string {
	list, _, _ := unstructured.NestedSlice(u.Object, "status", "conditions")
	for _, entry := range list {
		fields, _ := entry.(map[string]any)
		if fields["type"] == "Succeeded" {
			return fmt.Sprintf("Succeeded is %v: %v: %v", fields["status"], fields["reason"], fields["message"])
		}
	}
	return ""
}
