package chart

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/naosu-dev/naosu/internal/heartbeat"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// flag is the value of a container's flag; there is none if found is false.
func flag(args []string, name string) (value string, found bool) {
	for _, a := range args {
		if value, found = strings.CutPrefix(a, "--"+name+"="); found {
			return value, true
		}
	}
	return "", false
}

// Agents find the controller's pods, get a token for them, and know their certificates.
func TestHeartbeat(t *testing.T) {
	for _, privileged := range []bool{false, true} {
		all := rendered(t, values(object{"agent": object{"privileged": privileged}}))
		agent := typed[appsv1.DaemonSet](t, all, "DaemonSet/naosu-agent").Spec.Template.Spec
		if !agent.HostNetwork || agent.DNSPolicy != corev1.DNSClusterFirstWithHostNet {
			t.Errorf("the agent does not resolve the cluster's names: host network %t, %s", agent.HostNetwork, agent.DNSPolicy)
		}
		address, _ := flag(agent.Containers[0].Args, "heartbeat-address")
		host, port, err := net.SplitHostPort(address)
		if err != nil {
			t.Fatal(err)
		}
		service := typed[corev1.Service](t, all, "Service/naosu-controller-heartbeat")
		if host != service.Name+"."+namespace+".svc" || port != "9443" || service.Spec.Ports[0].Port != 9443 {
			t.Errorf("the agent connects to %s, and the Service is %s with %+v", address, service.Name, service.Spec.Ports)
		}
		// A replica that is not ready yet is heard, too, and the address of each is told.
		if service.Spec.ClusterIP != corev1.ClusterIPNone || !service.Spec.PublishNotReadyAddresses {
			t.Errorf("the Service is %+v", service.Spec)
		}
		controller := typed[appsv1.Deployment](t, all, "Deployment/naosu-controller").Spec.Template
		if diff := cmp.Diff(service.Spec.Selector, controller.Labels); diff != "" {
			t.Errorf("the Service selects (-want +got):\n%s", diff)
		}
		listens, _ := flag(controller.Spec.Containers[0].Args, "heartbeat-address")
		if listens != ":9443" || !slices.Contains(controller.Spec.Containers[0].Ports, corev1.ContainerPort{Name: service.Spec.Ports[0].TargetPort.StrVal, ContainerPort: 9443}) {
			t.Errorf("the controller listens at %q, with the ports %+v", listens, controller.Spec.Containers[0].Ports)
		}
		mounted(t, agent)
	}
}

// mounted says what is wrong with the files that the agent's flags name.
func mounted(t *testing.T, agent corev1.PodSpec) {
	t.Helper()
	at := slices.IndexFunc(agent.Volumes, func(v corev1.Volume) bool { return v.Name == "heartbeat" })
	mount := slices.IndexFunc(agent.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == "heartbeat" })
	if at < 0 || mount < 0 {
		t.Fatalf("there is no volume or it is not mounted: %d, %d", at, mount)
	}
	folder := agent.Containers[0].VolumeMounts[mount].MountPath + "/"
	token, _ := flag(agent.Containers[0].Args, "heartbeat-token-file")
	certificates, _ := flag(agent.Containers[0].Args, "heartbeat-ca-file")
	want := []corev1.VolumeProjection{
		{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Audience: heartbeat.Audience, ExpirationSeconds: new(int64(3600)), Path: strings.TrimPrefix(token, folder)}},
		{ConfigMap: &corev1.ConfigMapProjection{
			LocalObjectReference: corev1.LocalObjectReference{Name: record.HeartbeatCAName}, Optional: new(true),
			Items: []corev1.KeyToPath{{Key: "ca.crt", Path: strings.TrimPrefix(certificates, folder)}},
		}},
	}
	if diff := cmp.Diff(want, agent.Volumes[at].Projected.Sources); diff != "" {
		t.Errorf("the volume (-want +got):\n%s", diff)
	}
}

// heartbeats are the flags with which an agent sends heartbeats to an address, with what the kubelet would mount into its pod.
func (c *cluster) heartbeats(t *testing.T, pod *corev1.Pod, address string) []string {
	t.Helper()
	granted, err := c.client.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), pod.Spec.ServiceAccountName, &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{
			Audiences:      []string{heartbeat.Audience},
			BoundObjectRef: &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{"token": granted.Status.Token}
	testbed.Eventually(t, func() error {
		published, err := c.client.CoreV1().ConfigMaps(namespace).Get(t.Context(), record.HeartbeatCAName, metav1.GetOptions{})
		if err == nil && published.Data["ca.crt"] == "" {
			err = errors.New("no certificate of the heartbeat server is published")
		}
		if err == nil {
			files["ca.crt"] = published.Data["ca.crt"]
		}
		return err
	})
	folder := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return []string{"--heartbeat-address=" + address, "--heartbeat-token-file=" + filepath.Join(folder, "token"), "--heartbeat-ca-file=" + filepath.Join(folder, "ca.crt")}
}

// storeCertificates writes into the objects that the chart has made, as the controller does.
func (c *cluster) storeCertificates(t *testing.T) {
	t.Helper()
	secret, err := c.client.CoreV1().Secrets(namespace).Get(t.Context(), record.HeartbeatCAName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	configMap, err := c.client.CoreV1().ConfigMaps(namespace).Get(t.Context(), record.HeartbeatCAName, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	secret.Data, configMap.Data = map[string][]byte{"ca.key": []byte("key")}, map[string]string{"ca.crt": "certificate"}
	if _, err := c.client.CoreV1().Secrets(namespace).Update(t.Context(), secret, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.client.CoreV1().ConfigMaps(namespace).Update(t.Context(), configMap, metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// keepsCertificates says whether an upgrade has changed what was stored.
func (c *cluster) keepsCertificates(t *testing.T) {
	t.Helper()
	secret, err := c.client.CoreV1().Secrets(namespace).Get(t.Context(), record.HeartbeatCAName, metav1.GetOptions{})
	if err != nil || string(secret.Data["ca.key"]) != "key" {
		t.Errorf("the Secret has %d keys after an upgrade: %v", len(secret.Data), err)
	}
	configMap, err := c.client.CoreV1().ConfigMaps(namespace).Get(t.Context(), record.HeartbeatCAName, metav1.GetOptions{})
	if err != nil || configMap.Data["ca.crt"] != "certificate" {
		t.Errorf("the ConfigMap has %v after an upgrade: %v", configMap.Data, err)
	}
}

// Without heartbeats nothing listens or connects, and no right is granted for them.
func TestNoHeartbeat(t *testing.T) {
	rights := func(all map[string]*unstructured.Unstructured) (found []string) {
		for _, rules := range [][]rbacv1.PolicyRule{
			typed[rbacv1.ClusterRole](t, all, "ClusterRole/naosu-controller").Rules, typed[rbacv1.Role](t, all, "Role/naosu-controller").Rules,
		} {
			for _, rule := range rules {
				for _, what := range slices.Concat(rule.Resources, rule.ResourceNames) {
					if slices.Contains([]string{"tokenreviews", "secrets", record.HeartbeatCAName}, what) {
						found = append(found, what)
					}
				}
			}
		}
		return found
	}
	if len(rights(rendered(t, values()))) == 0 {
		t.Error("with heartbeats, no right is granted for them")
	}
	off := object{"heartbeat": object{"enabled": false}}
	for _, metered := range []bool{true, false} {
		all := rendered(t, values(off, object{"controller": object{"metrics": object{"enabled": metered}}}))
		if found := rights(all); len(found) > 0 {
			t.Errorf("rights are granted on %v", found)
		}
		controller := typed[appsv1.Deployment](t, all, "Deployment/naosu-controller").Spec.Template.Spec.Containers[0]
		if address, found := flag(controller.Args, "heartbeat-address"); found {
			t.Errorf("the controller listens at %s", address)
		}
		var ports []int
		for _, rule := range typed[networkingv1.NetworkPolicy](t, all, "NetworkPolicy/naosu-controller").Spec.Ingress {
			for _, p := range rule.Ports {
				ports = append(ports, p.Port.IntValue())
			}
		}
		if slices.Contains(ports, 9443) || slices.Contains(ports, 8080) != metered {
			t.Errorf("the NetworkPolicy allows the ports %v", ports)
		}
	}
	for name, given := range map[string]object{"off": off, "without a controller": {"controller": object{"enabled": false}}} {
		agent := typed[appsv1.DaemonSet](t, rendered(t, values(given)), "DaemonSet/naosu-agent").Spec.Template.Spec
		args := strings.Join(agent.Containers[0].Args, " ")
		volume := slices.ContainsFunc(agent.Volumes, func(v corev1.Volume) bool { return v.Name == "heartbeat" })
		mount := slices.ContainsFunc(agent.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool { return m.Name == "heartbeat" })
		if strings.Contains(args, "heartbeat") || !strings.Contains(args, "--state=") || volume || mount || agent.DNSPolicy != corev1.DNSDefault {
			t.Errorf("%s: the agent has %s, the volume: %t, its mount: %t, and resolves names by %s", name, args, volume, mount, agent.DNSPolicy)
		}
	}
}

// Nodes may connect to the controller, from wherever they are.
func TestHeartbeatNetwork(t *testing.T) {
	policy := typed[networkingv1.NetworkPolicy](t, rendered(t, values()), "NetworkPolicy/naosu-controller")
	at := slices.IndexFunc(policy.Spec.Ingress, func(r networkingv1.NetworkPolicyIngressRule) bool {
		return slices.ContainsFunc(r.Ports, func(p networkingv1.NetworkPolicyPort) bool { return p.Port.IntValue() == 9443 })
	})
	if at < 0 || len(policy.Spec.Ingress[at].From) > 0 {
		t.Errorf("others may connect by %+v", policy.Spec.Ingress)
	}
}
