package admission

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/record"
)

// The controller creates the Secret of its certificate authority and no other, least of all one into which Kubernetes writes a token.
func TestSecrets(t *testing.T) {
	b := newFixture(t)
	const only, ours = "only the Secret naosu-heartbeat-ca", record.HeartbeatCAName
	named := func(name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: "naosu-system", Name: name, Annotations: map[string]string{corev1.ServiceAccountNameKey: "naosu-agent"}}
	}
	for name, tc := range map[string]struct {
		secret *corev1.Secret
		why    string
	}{
		"its own":           {&corev1.Secret{ObjectMeta: named(ours)}, ""},
		"another":           {&corev1.Secret{ObjectMeta: named("other")}, only},
		"a generated name":  {&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "naosu-system", GenerateName: ours}}, only},
		"an account's":      {&corev1.Secret{ObjectMeta: named("other"), Type: corev1.SecretTypeServiceAccountToken}, only},
		"its own, a token":  {&corev1.Secret{ObjectMeta: named(ours), Type: corev1.SecretTypeServiceAccountToken}, only},
		"another namespace": {&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: ours}}, "forbidden"},
	} {
		t.Run(name, func(t *testing.T) {
			wantRefused(t, b.as(t, controller).Create(t.Context(), tc.secret, client.DryRunAll), tc.why)
		})
	}
}
