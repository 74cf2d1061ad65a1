package merge_test

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/pem"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	admissionv1 "k8s.io/api/admission/v1"
	registrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/whatif"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

const manifests = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 2
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec: {containers: [{name: main, image: "img:1", resources: {requests: {cpu: 100m}}}]}
---
apiVersion: v1
kind: Pod
metadata: {name: lone}
spec: {containers: [{name: main, image: "img:1", resources: {requests: {cpu: 2}, limits: {cpu: 1}}}]}
---
apiVersion: example.com/v1
kind: Nothing
metadata: {name: there}
`

// fourReplicas is a webhook that gives each Deployment four replicas.
func fourReplicas(b *fixture) {
	b.Helper()
	server := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var review admissionv1.AdmissionReview
		if err := json.NewDecoder(r.Body).Decode(&review); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		kind := admissionv1.PatchTypeJSONPatch
		review.Response = &admissionv1.AdmissionResponse{
			UID: review.Request.UID, Allowed: true, PatchType: &kind, Patch: []byte(`[{"op":"replace","path":"/spec/replicas","value":4}]`),
		}
		_ = json.NewEncoder(w).Encode(review)
	}))
	b.Cleanup(server.Close)
	none := registrationv1.SideEffectClassNone
	hooks := b.Client.AdmissionregistrationV1().MutatingWebhookConfigurations()
	made, err := hooks.Create(b.Context(), &registrationv1.MutatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "four-"},
		Webhooks: []registrationv1.MutatingWebhook{{
			Name: "four.example.com", SideEffects: &none, AdmissionReviewVersions: []string{"v1"},
			ClientConfig: registrationv1.WebhookClientConfig{
				URL: &server.URL, CABundle: pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}),
			},
			NamespaceSelector: &metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: b.Namespace}},
			Rules: []registrationv1.RuleWithOperations{{
				Operations: []registrationv1.OperationType{registrationv1.Create, registrationv1.Update},
				Rule:       registrationv1.Rule{APIGroups: []string{"apps"}, APIVersions: []string{"v1"}, Resources: []string{"deployments"}},
			}},
		}},
	}, metav1.CreateOptions{})
	b.must(err)
	b.Cleanup(func() { _ = hooks.Delete(context.WithoutCancel(b.Context()), made.Name, metav1.DeleteOptions{}) })
}

// predict runs naosu whatif apply.
func (b *fixture) predict(text string, args ...string) (finding.Forecast, error) {
	b.Helper()
	var out, errs bytes.Buffer
	flags := connect.Flags()
	*flags.KubeConfig, *flags.Namespace = b.kubeconfig, b.Namespace
	cmd := whatif.NewCommand(flags, genericiooptions.IOStreams{In: strings.NewReader(text), Out: &out, ErrOut: &errs})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(append([]string{"apply", "-f", "-", "-o", "json"}, args...))
	err := cmd.ExecuteContext(b.Context())
	var f struct {
		Outcome     finding.ForecastOutcome
		Refused     []finding.Refusal
		NotModelled []finding.Gap
	}
	if out.Len() > 0 {
		b.must(json.Unmarshal(out.Bytes(), &f))
	}
	return finding.Forecast{Outcome: f.Outcome, Refused: f.Refused, NotModelled: f.NotModelled}, err
}

// TestServerDryRun: what the API server refuses is a row in its own words, what it takes is played as it would store it; and
// nothing is stored.
func TestServerDryRun(t *testing.T) {
	b := newFixture(t)
	fourReplicas(b)
	b.await(func() bool { // until the webhook is called
		f, err := b.predict(manifests, "--server-dry-run")
		return err == nil && len(f.Outcome.Waiting) == 4
	})
	for _, more := range [][]string{nil, {"--server-side"}} {
		f, err := b.predict(manifests, append(more, "--server-dry-run")...)
		if err != nil || len(f.Outcome.Waiting) != 4 {
			t.Errorf("%v: err = %v, %d pods wait, want 4", more, err, len(f.Outcome.Waiting))
		}
		if len(f.Refused) != 2 || f.Refused[0].Object.Name != "lone" ||
			!strings.Contains(f.Refused[0].Why, `Pod "lone" is invalid: spec.containers[0].resources.requests: Invalid value: "2": must be less than or equal to cpu limit of 1`) ||
			!strings.Contains(f.Refused[1].Why, `no matches for kind "Nothing" in version "example.com/v1"`) {
			t.Errorf("%v: refused %+v", more, f.Refused)
		}
	}
	if _, err := b.predict(manifests, "--server-dry-run", "--fail-on", "refused"); err == nil {
		t.Error("--fail-on refused does not fail")
	}
	if _, err := b.Client.AppsV1().Deployments(b.Namespace).Get(t.Context(), "web", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Errorf("the Deployment is stored: %v", err)
	}

	// One that is there is patched, and a field that is applied no more goes.
	web, _, _ := strings.Cut(manifests, "---")
	file := map[string]any{}
	b.must(json.Unmarshal(toJSON(b, web), &file))
	if out, err := b.apply(file); err != nil {
		t.Fatal(out)
	}
	for _, c := range []struct {
		text string
		want string
	}{
		{strings.Replace(web, "cpu: 100m", "cpu: 100m, memory: lots", 1), "quantities must match the regular expression"},
		{strings.Replace(web, "{app: web}", "{app: other}", 2), "field is immutable"},
	} {
		f, err := b.predict(c.text, "--server-dry-run")
		if err == nil && (len(f.Refused) != 1 || !strings.Contains(f.Refused[0].Why, c.want)) || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("err = %v, refused %+v, want %q", err, f.Refused, c.want)
		}
	}
	if f, err := b.predict(web, "--server-dry-run"); err != nil || len(f.Refused) > 0 {
		t.Errorf("err = %v, refused %+v", err, f.Refused)
	}
}

// TestServerDryRunOfWhatKubectlHasApplied applies a manifest on the server, with a field less, that kubectl has applied by itself before:
// kubectl then takes the field away, and the API server's dry run does not.
func TestServerDryRunOfWhatKubectlHasApplied(t *testing.T) {
	b := newFixture(t)
	web, _, _ := strings.Cut(manifests, "---")
	file := map[string]any{}
	b.must(json.Unmarshal(toJSON(b, web), &file))
	template := file["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
	template["nodeSelector"] = map[string]any{"pool": "p0"}
	if out, err := b.apply(file); err != nil {
		t.Fatal(out)
	}
	for _, more := range [][]string{nil, {"--server-dry-run"}} {
		f, err := b.predict(web, append(more, "--server-side", "--force-conflicts")...)
		told := slices.ContainsFunc(f.NotModelled, func(g finding.Gap) bool { return strings.Contains(message.English().Say(g.Message), "applies again") })
		if err != nil || told != (more != nil) {
			t.Errorf("%v: err = %v, said to be merged without being asked: %t", more, err, told)
		}
	}
}
