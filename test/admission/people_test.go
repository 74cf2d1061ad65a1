package admission

import (
	"bytes"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli"
	"github.com/naosu-dev/naosu/internal/cli/exit"
)

// naosu is the command line, as a user.
func (b *fixture) naosu(t *testing.T, user string, args ...string) (string, error) {
	t.Helper()
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true") // No cloud is to be asked.
	var out, trouble bytes.Buffer
	cmd := cli.NewCommand("naosu", genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &trouble})
	cmd.SetArgs(append([]string{"--kubeconfig", b.KubeconfigPath(), "--as", user}, args...))
	err := cmd.ExecuteContext(t.Context())
	return out.String() + trouble.String(), err
}

func TestApproveCommand(t *testing.T) {
	b := newFixture(t)
	for _, tc := range []struct {
		user, flag string
		want       v1alpha1.Approval
	}{
		{"editor", "", ""}, {"viewer", "", ""}, {"only-one", "--reject", ""}, {"approver", "", v1alpha1.Approved}, {"second", "--reject", v1alpha1.Rejected},
	} {
		t.Run(tc.user, func(t *testing.T) {
			r := b.kept(t, repair("of-"+tc.user))
			out, err := b.naosu(t, tc.user, strings.Fields("approve "+r.Name+" "+tc.flag)...)
			if err := b.admin.Get(t.Context(), client.ObjectKeyFromObject(r), r); err != nil {
				t.Fatal(err)
			}
			if tc.want != "" {
				if err != nil || r.Spec.Approval != tc.want || r.Spec.ApprovedBy != tc.user {
					t.Errorf("it is %q by %q: %v\n%s", r.Spec.Approval, r.Spec.ApprovedBy, err, out)
				}
				return
			}
			if r.Spec.Approval != "" || exit.Code(err) != exit.NoAnswer || !strings.Contains(err.Error(), tc.user+" is not allowed to approve") ||
				!strings.Contains(err.Error(), "patch and approve on remediations.naosu.dev") {
				t.Errorf("it is %q: %v\n%s", r.Spec.Approval, err, out)
			}
		})
	}
}

// The role for reading suffices for every query.
func TestView(t *testing.T) {
	b := newFixture(t)
	for _, args := range []string{"why", "audit", "remediations", "repair check"} {
		out, err := b.naosu(t, "viewer", strings.Fields(args+" -o json")...)
		if err != nil || strings.Contains(out, "forbidden") || strings.Contains(out, "cannot") || strings.Contains(out, "Forbidden") {
			t.Errorf("naosu %s: %v\n%s", args, err, out)
		}
	}
}

// A drill takes no more than its role: this one gets no answer, and says so.
func TestDrill(t *testing.T) {
	b := newFixture(t)
	out, err := b.naosu(t, "driller", "repair", "drill", "node/"+node, "--hop-timeout", "1s")
	if exit.Code(err) != exit.Found || !strings.Contains(out, "The record is remediation/drill-") {
		t.Errorf("%v\n%s", err, out)
	}
}
