package admission

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/test/program"
)

const (
	needsPropose  = `lacks the verb "propose"`
	needsApprove  = `lacks the verb "approve"`
	needsAct      = `lacks the verb "act"`
	needsAutomate = `lacks the verb "automate"`
	// Of two policies that refuse the agent, either may be named.
	byPolicy = "ValidatingAdmissionPolicy"
	ownName  = "sets spec.approvedBy to their own name"
)

func merge(body string) client.Patch { return client.RawPatch(types.MergePatchType, []byte(body)) }

func jsonPatch(body string) client.Patch { return client.RawPatch(types.JSONPatchType, []byte(body)) }

// applied is server-side apply, which creates what is not there.
func applied(body string) client.Patch { return client.RawPatch(types.ApplyPatchType, []byte(body)) }

var force = []client.PatchOption{client.ForceOwnership, client.FieldOwner("test")}

// wantRefused demands that an attempt is refused because of something, or goes through if that is empty.
func wantRefused(t *testing.T, err error, why string) {
	t.Helper()
	switch {
	case why == "" && err != nil:
		t.Errorf("it is refused: %v", err)
	case why == "":
	case err == nil:
		t.Errorf("it went through, want it refused because %q", why)
	case !apierrors.IsForbidden(err) && !apierrors.IsInvalid(err), !strings.Contains(err.Error(), why):
		t.Errorf("it is refused with %v, want because %q", err, why)
	}
}

func with(r *v1alpha1.Remediation, change func(*v1alpha1.Remediation)) *v1alpha1.Remediation {
	change(r)
	return r
}

func approved(by string) func(*v1alpha1.Remediation) {
	return func(r *v1alpha1.Remediation) { r.Spec.Approval, r.Spec.ApprovedBy = v1alpha1.Approved, by }
}

func nameless(r *v1alpha1.Remediation) { r.Name, r.GenerateName = "", "x-" }

func TestCreate(t *testing.T) {
	b := newFixture(t)
	for name, tc := range map[string]struct {
		user string
		r    *v1alpha1.Remediation
		why  string
	}{
		"a drill, with rights to create alone":   {"driller", drill("x"), ""},
		"a drill whose name is generated":        {"driller", with(drill(""), nameless), ""},
		"a repair, with rights to create alone":  {"driller", repair("x"), needsPropose},
		"a repair, with every right but the one": {"editor", repair("x"), needsPropose},
		"a repair whose name is generated":       {"editor", with(repair(""), nameless), needsPropose},
		"a repair called a drill":                {"driller", with(repair("x"), func(r *v1alpha1.Remediation) { r.Spec.Drill = drill("x").Spec.Drill }), "a drill must not have a policy"},
		"a proposal":                             {"proposer", repair("x"), ""},
		"a proposal whose name is generated":     {"proposer", with(repair(""), nameless), ""},
		"the controller's":                       {controller, repair("x"), ""},
		"approved, by who may propose":           {"proposer", with(repair("x"), approved("")), "cannot be set at creation"},
		"approved in their own name":             {"proposer", with(repair("x"), approved("proposer")), "cannot be set at creation"},
		"approved by the controller":             {controller, with(repair("x"), approved(controller)), "cannot be set at creation"},
		"approved by who may do everything":      {"", with(repair("x"), approved("system:admin")), "cannot be set at creation"},
		"approved by nobody's word":              {"proposer", with(repair("x"), func(r *v1alpha1.Remediation) { r.Spec.ApprovedBy = "proposer" }), "requires approval"},
		"by an agent":                            {agent, drill("x"), "cannot create resource"},
		"by an approver":                         {"approver", repair("x"), "cannot create resource"},
	} {
		t.Run(name, func(t *testing.T) {
			wantRefused(t, b.as(t, tc.user).Create(t.Context(), tc.r, client.DryRunAll), tc.why)
		})
	}
}

// What is applied is created where it is not there.
func TestCreateByApply(t *testing.T) {
	b := newFixture(t)
	const body = `{"apiVersion":"naosu.dev/v1alpha1","kind":"Remediation","metadata":{"name":"applied"},"spec":{"policy":{"kind":"NodeRepairPolicy","name":"p","rule":"r"},` +
		`"node":{"name":"n","uid":"u"},"evidence":{"condition":"C","status":"False","since":"2026-11-22T12:00:00Z"},"action":"Reboot"%s}}`
	for _, tc := range []struct{ user, more, why string }{
		{"editor", "", needsPropose},
		{"proposer", `,"approval":"Approved","approvedBy":"proposer"`, "cannot be set at creation"},
		{"proposer", "", ""},
	} {
		r := &unstructured.Unstructured{}
		r.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Remediation"))
		r.SetName("applied")
		err := b.as(t, tc.user).Patch(t.Context(), r, applied(fmt.Sprintf(body, tc.more)), append(force, client.DryRunAll)...)
		wantRefused(t, err, tc.why)
	}
}

// A status that is given at creation is dropped, as ever: it takes a second request, which is refused.
func TestStatusAtCreation(t *testing.T) {
	b := newFixture(t)
	r := repair("with-status")
	r.Status.Phase = v1alpha1.PhaseRunning
	if err := b.as(t, "proposer").Create(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.admin.Delete(context.WithoutCancel(t.Context()), r) })
	if r.Status.Phase != "" {
		t.Errorf("it is %s", r.Status.Phase)
	}
}

func TestApprove(t *testing.T) {
	b := newFixture(t)
	word := func(word, by string) client.Patch {
		return merge(fmt.Sprintf(`{"spec":{"approval":%q,"approvedBy":%q}}`, word, by))
	}
	bare := merge(`{"spec":{"approval":"Approved"}}`)
	for name, tc := range map[string]struct {
		// before is the name of who approved it before; empty if it was not approved.
		before string
		user   string
		patch  client.Patch
		why    string
	}{
		"without the verb":                       {"", "editor", word("Approved", "editor"), needsApprove},
		"a rejection without it":                 {"", "editor", word("Rejected", "editor"), needsApprove},
		"by a JSON patch":                        {"", "editor", jsonPatch(`[{"op":"add","path":"/spec/approval","value":"Approved"},{"op":"add","path":"/spec/approvedBy","value":"editor"}]`), needsApprove},
		"in an approver's name":                  {"", "editor", word("Approved", "approver"), needsApprove},
		"by who may propose":                     {"", "proposer", word("Approved", "proposer"), needsApprove},
		"by the agent":                           {"", agent, word("Approved", agent), "cannot patch resource"},
		"in their own name":                      {"", "approver", word("Approved", "approver"), ""},
		"a rejection":                            {"", "approver", word("Rejected", "approver"), ""},
		"in nobody's name":                       {"", "approver", bare, ownName},
		"in another's name":                      {"", "approver", word("Approved", "second"), ownName},
		"in a name that begins alike":            {"", "approver", word("Approved", "approver2"), ownName},
		"in another's, with all rights":          {"", "", word("Approved", "approver"), ownName},
		"a name without a word":                  {"", "approver", merge(`{"spec":{"approvedBy":"approver"}}`), "requires approval"},
		"rejected in who approved's name":        {"approver", "second", merge(`{"spec":{"approval":"Rejected"}}`), ownName},
		"rejected by another":                    {"approver", "second", word("Rejected", "second"), ""},
		"claimed by another":                     {"approver", "second", merge(`{"spec":{"approvedBy":"second"}}`), "can be changed only together with approval"},
		"the name taken away":                    {"approver", "approver", merge(`{"spec":{"approvedBy":null}}`), "can be changed only together with approval"},
		"taken back":                             {"approver", "approver", merge(`{"spec":{"approval":null,"approvedBy":null}}`), "Rejected cannot be changed"},
		"a label, by who may not approve":        {"approver", "editor", merge(`{"metadata":{"labels":{"a":"b"}}}`), ""},
		"given again, by who may not approve":    {"approver", "editor", word("Approved", "approver"), ""},
		"with the verb for another record alone": {"", "only-one", word("Approved", "only-one"), needsApprove},
	} {
		t.Run(name, func(t *testing.T) {
			r := b.kept(t, repair("approve"))
			if tc.before != "" {
				if err := b.as(t, tc.before).Patch(t.Context(), r.DeepCopy(), word("Approved", tc.before)); err != nil {
					t.Fatal(err)
				}
			}
			wantRefused(t, b.as(t, tc.user).Patch(t.Context(), r.DeepCopy(), tc.patch), tc.why)
		})
	}
	t.Run("with the verb for this record alone", func(t *testing.T) {
		wantRefused(t, b.as(t, "only-one").Patch(t.Context(), b.kept(t, repair("the-one")), word("Approved", "only-one")), "")
	})
	t.Run("by an update", func(t *testing.T) {
		r := b.kept(t, repair("updated"))
		wantRefused(t, b.as(t, "editor").Update(t.Context(), with(r.DeepCopy(), approved("editor"))), needsApprove)
	})
	t.Run("by apply", func(t *testing.T) {
		r := b.kept(t, repair("applied-to"))
		const body = `{"apiVersion":"naosu.dev/v1alpha1","kind":"Remediation","metadata":{"name":"applied-to"},"spec":{"approval":"Approved","approvedBy":%q}}`
		wantRefused(t, b.as(t, "editor").Patch(t.Context(), r.DeepCopy(), applied(fmt.Sprintf(body, "editor")), force...), needsApprove)
		wantRefused(t, b.as(t, "approver").Patch(t.Context(), r.DeepCopy(), applied(fmt.Sprintf(body, "second")), force...), ownName)
		wantRefused(t, b.as(t, "approver").Patch(t.Context(), r.DeepCopy(), applied(fmt.Sprintf(body, "approver")), force...), "")
	})
	t.Run("by way of the status", func(t *testing.T) {
		r := b.kept(t, repair("sideways"))
		if err := b.as(t, "proposer").Status().Patch(t.Context(), r, merge(`{"spec":{"approval":"Approved","approvedBy":"proposer"},"status":{"phase":"Waiting"}}`)); err != nil {
			t.Fatal(err)
		}
		if r.Spec.Approval != "" || r.Status.Phase != v1alpha1.PhaseWaiting {
			t.Errorf("its approval is %q, its phase %s", r.Spec.Approval, r.Status.Phase)
		}
	})
}

// What kubectl edit sends is held to the same.
func TestEdit(t *testing.T) {
	b := newFixture(t)
	kubectl := program.Need(t, "kubectl")
	for i, tc := range []struct{ user, by, why string }{
		{"editor", "editor", needsApprove}, {"approver", "second", ownName}, {"approver", "approver", ""},
	} {
		r, folder := b.kept(t, repair(fmt.Sprintf("edited-%d", i))), t.TempDir()
		editor := filepath.Join(folder, "editor")
		script := "#!/bin/sh\nsed -i 's/^spec:/spec:\\n  approval: Approved\\n  approvedBy: " + tc.by + "/' \"$1\"\n"
		if err := os.WriteFile(editor, []byte(script), 0o700); err != nil {
			t.Fatal(err)
		}
		edit := exec.CommandContext(t.Context(), kubectl, "--kubeconfig", b.KubeconfigPath(), "--as", tc.user, "edit", "remediation", r.Name)
		edit.Env = append(os.Environ(), "HOME="+folder, "TMPDIR="+folder, "KUBE_EDITOR="+editor)
		out, err := edit.CombinedOutput()
		if (err == nil) != (tc.why == "") || !strings.Contains(string(out), tc.why) {
			t.Errorf("%s as %s: %v\n%s", tc.user, tc.by, err, out)
		}
		if err := b.admin.Get(t.Context(), client.ObjectKeyFromObject(r), r); err != nil || (r.Spec.Approval != "") != (tc.why == "") {
			t.Errorf("%s as %s: the approval is %q (%v)", tc.user, tc.by, r.Spec.Approval, err)
		}
	}
}

func TestStatus(t *testing.T) {
	b := newFixture(t)
	waits, runs := `{"status":{"phase":"Waiting"}}`, `{"status":{"phase":"Running"}}`
	report := `{"status":{"agent":{"state":"Done","at":"2026-11-22T12:00:00.000000Z"}}}`
	const step = `{"status":{"phase":"Running","steps":[{"name":"Act","startedAt":"2026-11-22T12:00:00.000000Z"}]}}`
	for name, tc := range map[string]struct {
		user     string
		drill    bool
		approved bool
		patch    string
		why      string
	}{
		"without the verb":                     {"editor", false, false, waits, needsPropose},
		"of a drill":                           {"editor", true, false, `{"status":{"phase":"Ended"}}`, needsPropose},
		"begun":                                {"editor", false, true, step, needsPropose},
		"an agent's report, by another":        {"editor", false, false, report, needsPropose},
		"a drill's report, by another":         {"editor", true, false, report, needsPropose},
		"by who drills":                        {"driller", true, false, report, "cannot patch resource"},
		"by who approves":                      {"approver", false, true, step, "cannot patch resource"},
		"with the verb":                        {"proposer", false, false, waits, ""},
		"begun by who may only propose":        {"proposer", false, true, step, needsAct},
		"begun unasked":                        {"performer", false, false, step, needsAutomate},
		"begun unasked, and no step":           {"performer", false, false, runs, needsAutomate},
		"begun when approved":                  {"performer", false, true, step, ""},
		"the controller's":                     {controller, false, false, step, ""},
		"the agent's report":                   {agent, false, false, report, ""},
		"the agent's report of a drill":        {agent, true, false, report, ""},
		"the agent's phase":                    {agent, false, false, waits, byPolicy},
		"the agent's phase beside its report":  {agent, false, true, strings.Replace(report, `"agent"`, `"phase":"Running","agent"`, 1), byPolicy},
		"the agent's status without any field": {agent, false, false, `{"status":null}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			r := repair("status")
			if tc.drill {
				r = drill("status")
			}
			b.kept(t, r)
			if tc.approved {
				if err := b.as(t, "approver").Patch(t.Context(), r, merge(`{"spec":{"approval":"Approved","approvedBy":"approver"}}`)); err != nil {
					t.Fatal(err)
				}
			}
			wantRefused(t, b.as(t, tc.user).Status().Patch(t.Context(), r.DeepCopy(), merge(tc.patch)), tc.why)
		})
	}
	t.Run("by an update", func(t *testing.T) {
		r := b.kept(t, repair("updated"))
		r.Status.Phase = v1alpha1.PhaseRunning
		wantRefused(t, b.as(t, "editor").Status().Update(t.Context(), r.DeepCopy()), needsPropose)
	})
	t.Run("by apply", func(t *testing.T) {
		r := b.kept(t, repair("applied-to"))
		body := applied(`{"apiVersion":"naosu.dev/v1alpha1","kind":"Remediation","metadata":{"name":"applied-to"},"status":{"phase":"Running"}}`)
		wantRefused(t, b.as(t, "editor").Status().Patch(t.Context(), r.DeepCopy(), body, client.ForceOwnership, client.FieldOwner("test")), needsPropose)
	})
	t.Run("what runs goes on without the verbs to begin", func(t *testing.T) {
		r := b.kept(t, repair("goes-on"))
		if err := b.as(t, controller).Status().Patch(t.Context(), r, merge(step)); err != nil {
			t.Fatal(err)
		}
		wantRefused(t, b.as(t, "proposer").Status().Patch(t.Context(), r, merge(`{"status":{"observedGeneration":1}}`)), "")
	})
}

// A record of an older version, without the name of who approved it, is written as before and can be rejected.
func TestOldRecord(t *testing.T) {
	b := newFixture(t)
	old := &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: "old"}}
	wantRefused(t, b.as(t, controller).Status().Patch(t.Context(), old, merge(`{"status":{"phase":"Waiting"}}`)), "")
	wantRefused(t, b.as(t, "editor").Patch(t.Context(), old, merge(`{"metadata":{"labels":{"a":"b"}}}`)), "")
	wantRefused(t, b.as(t, "approver").Patch(t.Context(), old, merge(`{"spec":{"approvedBy":"approver"}}`)), "can be changed only together with approval")
	wantRefused(t, b.as(t, "approver").Patch(t.Context(), old, merge(`{"spec":{"approval":"Rejected"}}`)), ownName)
	wantRefused(t, b.as(t, "approver").Patch(t.Context(), old, merge(`{"spec":{"approval":"Rejected","approvedBy":"approver"}}`)), "")
}
