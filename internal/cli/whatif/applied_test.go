package whatif

import (
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/message"
)

const (
	applied = "testdata/applied.yaml"
	web     = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      nodeSelector: {pool: p0}
      containers: [{name: main, image: "img:1", env: [{name: PASSWORD, value: old}], resources: {requests: {cpu: 200m}}}]
`
	load = `
apiVersion: batch/v1
kind: Job
metadata: {name: load}
spec:
  template:
    spec: {restartPolicy: Never, containers: [{name: main, image: "img:1", env: [{name: PASSWORD, value: old}], resources: {requests: {cpu: 200m}}}]}
`
)

// TestApplyMerges: a field that is not in the manifest stays unless it was applied; a value of the environment is known to
// change or not.
func TestApplyMerges(t *testing.T) {
	replaced := func(text string, pairs ...string) string {
		next := strings.NewReplacer(pairs...).Replace(text)
		if next == text {
			t.Fatalf("nothing is replaced: %q", pairs)
		}
		return next
	}
	for name, tc := range map[string]struct {
		manifest string
		want     []string
		not      string
	}{
		"the same manifest": {web, []string{"Pods: 4 unchanged"}, "environment"},
		"replicas that are applied no more": {
			replaced(web, "  replicas: 3\n", ""), []string{"2 ended", "2 unchanged"}, "new",
		},
		"a selector of nodes that is applied no more": {
			replaced(web, "      nodeSelector: {pool: p0}\n", ""), []string{"3 new", "3 ended"}, "how the manifest",
		},
		"another value":               {replaced(web, "value: old", "value: new"), []string{"3 new", "3 ended"}, "environment"},
		"another name":                {replaced(web, "PASSWORD", "USER"), []string{"3 new", "3 ended"}, "environment"},
		"the same Job":                {load, []string{"Pods: 4 unchanged"}, "environment"},
		"a label of the object alone": {replaced(web, "{name: web}", "{name: web, labels: {team: a}}"), []string{"Pods: 4 unchanged"}, "environment"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(t, tc.manifest, "apply", "-f", "-", "--from", applied, "-n", "shop")
			if err != nil {
				t.Fatal(exit.Line(message.English(), err))
			}
			for _, want := range tc.want {
				if !strings.Contains(out, want) {
					t.Errorf("without %q:\n%s", want, out)
				}
			}
			if strings.Contains(out, tc.not) {
				t.Errorf("with %q:\n%s", tc.not, out)
			}
		})
	}
	_, err := run(t, replaced(load, "value: old", "value: new"), "apply", "-f", "-", "--from", applied, "-n", "shop")
	if exit.Code(err) != exit.NoAnswer || !strings.Contains(exit.Line(message.English(), err), "field is immutable") {
		t.Errorf("a Job's template can be changed: %v", err)
	}
}
