// Package pages tests that pages of docs/ agree with the code that they describe.
package pages

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/addresses/reclaim"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/guard"
)

var languages = []string{"en", "ja"}

func page(t *testing.T, language, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", language, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// The sections of the policy's page, in both languages.
const (
	fieldSection = 1
	guardSection = 3
)

func section(t *testing.T, text string, at int) string {
	t.Helper()
	sections := strings.Split(text, "\n## ")
	if at >= len(sections) {
		t.Fatalf("the page has %d sections", len(sections))
	}
	return sections[at]
}

// rows are the cells of a section's table, by the code in the first.
func rows(text string) map[string][]string {
	found := map[string][]string{}
	for line := range strings.Lines(text) {
		cells := strings.Split(strings.TrimSpace(line), "|")
		if len(cells) < 3 {
			continue
		}
		for name := range strings.SplitSeq(cells[1], ",") {
			if name = strings.TrimSpace(name); strings.HasPrefix(name, "`") {
				found[strings.Trim(name, "`")] = cells[2:]
			}
		}
	}
	return found
}

// The policy's page has a row for each field of spec.
func TestPolicyFields(t *testing.T) {
	fields := fieldsOf(reflect.TypeFor[v1alpha1.NodeRepairPolicySpec](), "")
	for _, language := range languages {
		there := rows(section(t, page(t, language, "policy.md"), fieldSection))
		for _, field := range fields {
			if there[field] == nil {
				t.Errorf("docs/%s/policy.md has no row for %s", language, field)
			}
		}
	}
}

// So has the page of failover, with an example by the letter that is the same in both languages, and each state of a pod.
func TestFailover(t *testing.T) {
	var examples []v1alpha1.FailoverPolicy
	for _, language := range languages {
		text := page(t, language, "failover.md")
		there := rows(section(t, text, fieldSection))
		for _, field := range fieldsOf(reflect.TypeFor[v1alpha1.FailoverPolicySpec](), "") {
			if there[field] == nil {
				t.Errorf("docs/%s/failover.md has no row for %s", language, field)
			}
		}
		for _, state := range failoverpolicy.States {
			if !strings.Contains(text, "\n| "+string(state)+" |") {
				t.Errorf("docs/%s/failover.md has no row for %s", language, state)
			}
		}
		for _, reason := range []string{
			v1alpha1.PolicyReadyReason, v1alpha1.PolicyPausedReason, v1alpha1.PolicyInvalidSelectorReason, v1alpha1.PolicyNoPodsReason,
			v1alpha1.PolicyNotPermittedReason, v1alpha1.PolicyChangesLostReason,
		} {
			if !strings.Contains(text, reason) {
				t.Errorf("docs/%s/failover.md does not have the reason %s", language, reason)
			}
		}
		_, example, _ := strings.Cut(text, "```yaml\n")
		example, _, _ = strings.Cut(example, "```")
		var policy v1alpha1.FailoverPolicy
		if err := yaml.UnmarshalStrict([]byte(example), &policy); err != nil {
			t.Fatalf("docs/%s/failover.md: %v", language, err)
		}
		examples = append(examples, policy)
	}
	if diff := cmp.Diff(examples[0], examples[1]); diff != "" || !examples[0].Acts() {
		t.Errorf("the examples differ, or do nothing (-en +ja):\n%s", diff)
	}
}

// So has the page of rebalancing, with an example by the letter that is the same in both languages, and a row for each check of the guard.
func TestRebalance(t *testing.T) {
	var examples []v1alpha1.RebalancePolicy
	for _, language := range languages {
		text := page(t, language, "rebalance.md")
		there := rows(text)
		for _, field := range fieldsOf(reflect.TypeFor[v1alpha1.RebalancePolicySpec](), "") {
			if there[field] == nil && !strings.HasPrefix(field, "maintenanceWindow.") {
				t.Errorf("docs/%s/rebalance.md has no row for %s", language, field)
			}
		}
		for _, check := range guard.RebalanceChecks() {
			if there[check.Name] == nil {
				t.Errorf("docs/%s/rebalance.md has no row for the check %s", language, check.Name)
			}
		}
		for _, reason := range []string{
			v1alpha1.PolicyReadyReason, v1alpha1.PolicyPausedReason, v1alpha1.PolicyInvalidSelectorReason, v1alpha1.PolicyNoPodsReason, v1alpha1.PolicyNoPlanReason, v1alpha1.PolicyUtilizationNotConsideredReason,
			v1alpha1.RemediationAsForecastReason, v1alpha1.RemediationNotAsForecastReason, v1alpha1.RemediationDidNotHelpReason, v1alpha1.RemediationGaveUpReason,
			v1alpha1.RemediationNotNeededReason, v1alpha1.RemediationNotAskedReason, v1alpha1.RemediationRejectedReason, v1alpha1.RemediationAbortedReason,
		} {
			if !strings.Contains(text, reason) {
				t.Errorf("docs/%s/rebalance.md does not have the reason %s", language, reason)
			}
		}
		_, example, _ := strings.Cut(text, "```yaml\n")
		example, _, _ = strings.Cut(example, "```")
		var policy v1alpha1.RebalancePolicy
		if err := yaml.UnmarshalStrict([]byte(example), &policy); err != nil {
			t.Fatalf("docs/%s/rebalance.md: %v", language, err)
		}
		examples = append(examples, policy)
	}
	if diff := cmp.Diff(examples[0], examples[1]); diff != "" || examples[0].Spec.Mode != v1alpha1.ModeAuto {
		t.Errorf("the examples differ, or do nothing (-en +ja):\n%s", diff)
	}
}

// So has the section of AddressPolicies, with a row for each field, check and outcome.
func TestAddressPolicy(t *testing.T) {
	var examples []v1alpha1.AddressPolicy
	for _, language := range languages {
		text := page(t, language, "addresses.md")
		there := rows(text)
		for _, field := range fieldsOf(reflect.TypeFor[v1alpha1.AddressPolicySpec](), "") {
			if there[field] == nil && !strings.HasPrefix(field, "maintenanceWindow.") {
				t.Errorf("docs/%s/addresses.md has no row for %s", language, field)
			}
		}
		for _, check := range guard.AddressChecks() {
			if there[check.Name] == nil {
				t.Errorf("docs/%s/addresses.md has no row for the check %s", language, check.Name)
			}
		}
		reasons := []string{
			v1alpha1.PolicyPausedReason, v1alpha1.PolicyAddressesUnknownReason, v1alpha1.PolicyNoVPCCNIReason, v1alpha1.PolicyNoClusterNameReason,
			v1alpha1.PolicyNotPermittedReason, v1alpha1.PolicyOtherPolicyReason, v1alpha1.AddressesLow,
			v1alpha1.RemediationAsForecastReason, v1alpha1.RemediationNotAsForecastReason, v1alpha1.RemediationDidNotHelpReason, v1alpha1.RemediationGaveUpReason,
			v1alpha1.RemediationRefusedReason, v1alpha1.RemediationNotNeededReason, v1alpha1.RemediationNotAskedReason, v1alpha1.RemediationRejectedReason,
			v1alpha1.RemediationAbortedReason,
		}
		for _, decision := range reclaim.Reasons {
			if decision != reclaim.NotVPCCNI && decision != reclaim.InUse {
				reasons = append(reasons, string(decision))
			}
		}
		for _, reason := range reasons {
			if !strings.Contains(text, reason) {
				t.Errorf("docs/%s/addresses.md does not have the reason %s", language, reason)
			}
		}
		_, example, _ := strings.Cut(text, "```yaml\n")
		example, _, _ = strings.Cut(example, "```")
		var policy v1alpha1.AddressPolicy
		if err := yaml.UnmarshalStrict([]byte(example), &policy); err != nil {
			t.Fatalf("docs/%s/addresses.md: %v", language, err)
		}
		examples = append(examples, policy)
	}
	if diff := cmp.Diff(examples[0], examples[1]); diff != "" || examples[0].Spec.Mode != v1alpha1.ModeAuto {
		t.Errorf("the examples differ, or do nothing (-en +ja):\n%s", diff)
	}
}

// fieldsOf are the paths of a type's fields, as they are written.
func fieldsOf(of reflect.Type, path string) []string {
	var found []string
	for field := range of.Fields() {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		name = path + name
		found = append(found, name)
		inner := field.Type
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			if inner.Kind() == reflect.Slice {
				name += "[]"
			}
			inner = inner.Elem()
		}
		if inner.Kind() == reflect.Struct && inner.PkgPath() == of.PkgPath() && inner != reflect.TypeFor[metav1.LabelSelector]() {
			found = append(found, fieldsOf(inner, name+".")...)
		}
	}
	return found
}

// It has a row for each check of the guard, in the guard's order, and each of the guard's reasons belongs to a check.
func TestGuard(t *testing.T) {
	for _, language := range languages {
		table := section(t, page(t, language, "policy.md"), guardSection)
		there := rows(table)
		var told []string
		at := -1
		for _, check := range guard.Checks() {
			cells := there[check.Name]
			if cells == nil {
				t.Errorf("docs/%s/policy.md has no row for the check %s", language, check.Name)
				continue
			}
			if next := strings.Index(table, "| `"+check.Name+"` |"); next < at {
				t.Errorf("docs/%s/policy.md has the check %s out of the guard's order", language, check.Name)
			} else {
				at = next
			}
			told = append(told, reasonsIn(cells[0])...)
		}
		for _, check := range guard.RebalanceChecks() {
			if cells := rows(page(t, language, "rebalance.md"))[check.Name]; cells != nil {
				told = append(told, reasonsIn(cells[0])...)
			}
		}
		if reasons := guardReasons(t); !slices.Equal(reasons, slices.Compact(slices.Sorted(slices.Values(told)))) {
			t.Errorf("docs/%s/policy.md tells the reasons %v, the guard has %v", language, told, reasons)
		}
	}
}

func reasonsIn(cell string) (reasons []string) {
	for reason := range strings.SplitSeq(cell, ",") {
		reasons = append(reasons, strings.TrimSpace(reason))
	}
	return reasons
}

// guardReasons are the constants of type Reason, sorted.
func guardReasons(t *testing.T) []string {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", "..", "internal", "guard", "reason.go"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var reasons []string
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok {
			return true
		}
		if name, ok := spec.Type.(*ast.Ident); ok && name.Name == "Reason" {
			value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
			if err != nil {
				t.Fatal(err)
			}
			reasons = append(reasons, value)
		}
		return false
	})
	if len(reasons) == 0 {
		t.Fatal("the guard has no reasons: this test does not find them")
	}
	slices.Sort(reasons)
	return reasons
}

// How Remediations end, why a policy is not ready, and what its modes are is documented completely.
func TestPolicyWords(t *testing.T) {
	words := []string{
		v1alpha1.RemediationAsForecastReason, v1alpha1.RemediationNotAsForecastReason, v1alpha1.RemediationDidNotHelpReason,
		v1alpha1.RemediationRefusedReason, v1alpha1.RemediationGaveUpReason, v1alpha1.RemediationRejectedReason, v1alpha1.RemediationNotNeededReason, v1alpha1.RemediationNotAskedReason,
		v1alpha1.RemediationDrillPassedReason, v1alpha1.RemediationDrillFailedReason,
		v1alpha1.PolicyReadyReason, v1alpha1.PolicyPausedReason, v1alpha1.PolicyBrakedReason, v1alpha1.PolicyNoNodesReason,
		v1alpha1.PolicyNoActuatorReason, v1alpha1.PolicyCompetingReason,
		string(v1alpha1.ModeReport), string(v1alpha1.ModeApprove), string(v1alpha1.ModeAuto),
		string(v1alpha1.ActionNone), string(v1alpha1.ActionRestartService), string(v1alpha1.ActionReboot), string(v1alpha1.ActionReplace),
	}
	for _, language := range languages {
		text := page(t, language, "policy.md")
		for _, word := range words {
			if !strings.Contains(text, word) {
				t.Errorf("docs/%s/policy.md does not have the word %s", language, word)
			}
		}
	}
}

// The worked example is a policy by the letter, and the same in both languages.
func TestPolicyExample(t *testing.T) {
	var examples []v1alpha1.NodeRepairPolicy
	for _, language := range languages {
		_, example, _ := strings.Cut(page(t, language, "policy.md"), "```yaml\n")
		example, _, _ = strings.Cut(example, "```")
		var policy v1alpha1.NodeRepairPolicy
		if err := yaml.UnmarshalStrict([]byte(example), &policy); err != nil {
			t.Fatalf("docs/%s/policy.md: %v", language, err)
		}
		examples = append(examples, policy)
	}
	if len(examples[0].Spec.Rules) == 0 {
		t.Error("the example has no rules")
	}
	if diff := cmp.Diff(examples[0], examples[1]); diff != "" {
		t.Errorf("the examples differ (-en +ja):\n%s", diff)
	}
}

// TestHeadroom has a row for each field and each reason of a HeadroomPolicy, and the same example in both languages.
func TestHeadroom(t *testing.T) {
	var examples []v1alpha1.HeadroomPolicy
	for _, language := range languages {
		text := page(t, language, "headroom.md")
		for _, field := range []string{
			"mode", "paused", "survive.nodes", "survive.zones", "survive.bursts", "survive.steps", "maxRoom.cpu", "maxRoom.memory", "maxRoom.placeholders",
			"protect.kinds", "protect.namespaceSelector", "protect.podSelector", "protect.priorityClassName", "autoscaling", "resize.lackSeconds", "resize.excessPercent", "resize.excessMinutes",
		} {
			if !strings.Contains(text, "`"+field+"`") {
				t.Errorf("docs/%s/headroom.md has no row for %s", language, field)
			}
		}
		for _, reason := range []string{
			v1alpha1.HeadroomCoveredReason, v1alpha1.HeadroomReportOnlyReason, v1alpha1.HeadroomNotBoundReason, v1alpha1.HeadroomMaximumReachedReason,
			v1alpha1.HeadroomNeedsNodesReason, v1alpha1.HeadroomNotSizedReason, v1alpha1.HeadroomUnreadReason, v1alpha1.HeadroomNotFoundReason,
			v1alpha1.HeadroomNoPriorityClassReason, v1alpha1.PolicyNotPermittedReason, v1alpha1.HeadroomProtectedReason, v1alpha1.HeadroomSystemClassReason,
			v1alpha1.HeadroomClassPreemptsReason, v1alpha1.HeadroomClassTooLowReason, v1alpha1.HeadroomNotServedReason, v1alpha1.HeadroomNotInstalledReason,
			v1alpha1.HeadroomTooManyReason, v1alpha1.PolicyPausedReason, v1alpha1.PolicyInvalidSelectorReason,
		} {
			if !strings.Contains(text, "| "+reason+" |") {
				t.Errorf("docs/%s/headroom.md has no row for the reason %s", language, reason)
			}
		}
		_, example, _ := strings.Cut(text, "\n## HeadroomPolicy\n")
		_, example, _ = strings.Cut(example, "```yaml\n")
		example, _, _ = strings.Cut(example, "```")
		var policy v1alpha1.HeadroomPolicy
		if err := yaml.UnmarshalStrict([]byte(example), &policy); err != nil {
			t.Fatalf("docs/%s/headroom.md: %v", language, err)
		}
		examples = append(examples, policy)
	}
	if diff := cmp.Diff(examples[0], examples[1]); diff != "" || !examples[0].Holds() {
		t.Errorf("the examples differ, or do nothing (-en +ja):\n%s", diff)
	}
}
