package chart

import (
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

func metrics(v object) object { return values(object{"controller": object{"metrics": v}}) }

// How metrics are served and how the ServiceMonitor has them read fit each other.
func TestMetrics(t *testing.T) {
	const token, cert = "/var/run/secrets/kubernetes.io/serviceaccount/token", "--metrics-cert-path=/etc/naosu/metrics"
	monitored := func(more object) object {
		monitor := object{"enabled": true}
		merged := object{"serviceMonitor": monitor}
		merge(merged, more)
		return metrics(merged)
	}
	for name, tc := range map[string]struct {
		values object
		// args are those about metrics, endpoint is the ServiceMonitor's, and secret is the one that is mounted.
		args     []string
		endpoint object
		secret   string
	}{
		"as installed": {
			monitored(nil),
			[]string{"--metrics-address=:8080"},
			object{"port": "metrics", "interval": "30s", "scheme": "https", "bearerTokenFile": token, "tlsConfig": object{"insecureSkipVerify": true}},
			"",
		},
		"with a certificate": {
			monitored(object{"certificateSecret": "metrics-tls", "serviceMonitor": object{"tlsConfig": object{"serverName": "naosu-controller-metrics.naosu-system.svc"}}}),
			[]string{"--metrics-address=:8080", cert},
			object{"port": "metrics", "interval": "30s", "scheme": "https", "bearerTokenFile": token, "tlsConfig": object{"serverName": "naosu-controller-metrics.naosu-system.svc"}},
			"metrics-tls",
		},
		"a Secret whose name is a number": {
			monitored(object{"certificateSecret": "1"}),
			[]string{"--metrics-address=:8080", cert},
			object{"port": "metrics", "interval": "30s", "scheme": "https", "bearerTokenFile": token, "tlsConfig": object{"insecureSkipVerify": true}},
			"1",
		},
		"for all":                       {monitored(object{"secure": false}), []string{"--metrics-address=:8080", "--metrics-secure=false"}, object{"port": "metrics", "interval": "30s"}, ""},
		"for nobody":                    {metrics(object{"enabled": false}), []string{"--metrics-address=0"}, nil, ""},
		"for nobody, but with a Secret": {metrics(object{"enabled": false, "certificateSecret": "metrics-tls"}), []string{"--metrics-address=0"}, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			all := rendered(t, tc.values)
			pod := typed[appsv1.Deployment](t, all, "Deployment/naosu-controller").Spec.Template.Spec
			args := slices.DeleteFunc(slices.Clone(pod.Containers[0].Args), func(a string) bool { return !strings.HasPrefix(a, "--metrics-") })
			if diff := cmp.Diff(tc.args, args); diff != "" {
				t.Errorf("arguments (-want +got):\n%s", diff)
			}
			secret := ""
			for _, v := range pod.Volumes {
				secret = v.Secret.SecretName
				if !slices.ContainsFunc(pod.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool {
					return m.Name == v.Name && m.MountPath == strings.TrimPrefix(cert, "--metrics-cert-path=") && m.ReadOnly
				}) {
					t.Errorf("it is mounted as %+v", pod.Containers[0].VolumeMounts)
				}
			}
			if secret != tc.secret {
				t.Errorf("the Secret %q is mounted, want %q", secret, tc.secret)
			}
			var got object
			if monitor := all["ServiceMonitor/naosu-controller"]; monitor != nil {
				endpoints, _, _ := unstructured.NestedSlice(monitor.Object, "spec", "endpoints")
				got = endpoints[0].(object)
			}
			if diff := cmp.Diff(tc.endpoint, got); diff != "" {
				t.Errorf("the ServiceMonitor's endpoint (-want +got):\n%s", diff)
			}
		})
	}
}

// The controller authorizes readers of its metrics in every mode, with Kubernetes' own role for that; readers get nothing else.
func TestMetricsRights(t *testing.T) {
	for _, mode := range []string{"auto", "approve", "report"} {
		all := rendered(t, values(object{"controller": object{"mode": mode}}))
		binding := typed[rbacv1.ClusterRoleBinding](t, all, "ClusterRoleBinding/naosu-controller-auth-delegator")
		want := rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "system:auth-delegator"}
		subject := rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: "naosu-controller"}
		if binding.RoleRef != want || len(binding.Subjects) != 1 || binding.Subjects[0] != subject {
			t.Errorf("in mode %s %+v is bound to %+v", mode, binding.Subjects, binding.RoleRef)
		}
		rules := []rbacv1.PolicyRule{{NonResourceURLs: []string{"/metrics"}, Verbs: []string{"get"}}}
		if diff := cmp.Diff(rules, typed[rbacv1.ClusterRole](t, all, "ClusterRole/naosu-metrics-reader").Rules); diff != "" {
			t.Errorf("in mode %s readers may (-want +got):\n%s", mode, diff)
		}
	}
}

// scrapes reads the metrics anonymously, as an account without permissions, and as one with the chart's role for it.
func (c *cluster) scrapes(t *testing.T, url string) {
	t.Helper()
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "prometheus"}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "naosu-metrics-reader"},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: "default", Name: "prometheus"}},
	}
	if _, err := c.client.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.client.RbacV1().ClusterRoleBindings().Delete(context.WithoutCancel(t.Context()), binding.Name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	for token, want := range map[string]int{
		"": http.StatusUnauthorized, c.account(t, "stranger"): http.StatusForbidden, c.account(t, "prometheus"): http.StatusOK,
	} {
		testbed.Eventually(t, func() error { return scraped(t.Context(), url, token, want) })
	}
}

// account makes one and returns a token of it.
func (c *cluster) account(t *testing.T, name string) (token string) {
	t.Helper()
	accounts := c.client.CoreV1().ServiceAccounts("default")
	if _, err := accounts.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := accounts.Delete(context.WithoutCancel(t.Context()), name, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	})
	granted, err := accounts.CreateToken(t.Context(), name, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return granted.Status.Token
}

// scraped is an error unless a scrape with a token, or without one, is answered with a code.
func scraped(ctx context.Context, url, token string, want int) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // Its certificate is self-signed.
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if body, _ := io.ReadAll(response.Body); response.StatusCode != want {
		return fmt.Errorf("%s: %s, want %d: %s", url, response.Status, want, body)
	}
	return nil
}
