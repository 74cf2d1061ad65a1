package anonymous_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// words are those of a company's own, each in many places; none may be left.
var words = []string{
	"acme", "payroll", "ledger", "redis", "frontend", "wintermute", "10.20.30.40", "10-20-30-40", "10.20.30.41", "2001:db8::7",
	"123456789012", "0a1b2c3d4e5f", "5f4e3d2c1b0a", "s3cr3t", "hush", "Zanzibar", "vol-0feedface", "6c5d8b7f9",
}

func secretive() []runtime.Object {
	meta := func(namespace, name string) metav1.ObjectMeta {
		return metav1.ObjectMeta{
			Namespace: namespace, Name: name, UID: "0a1b2c3d-4e5f-4a6b-8c7d-0a1b2c3d4e5f",
			Labels:          map[string]string{"app": "redis", "acme.com/team": "payroll", corev1.LabelTopologyZone: "us-east-1c", "eks.amazonaws.com/nodegroup": "wintermute"},
			Annotations:     map[string]string{"acme.com/owner": "hush", "volume.kubernetes.io/selected-node": "ip-10-20-30-40.acme.internal"},
			OwnerReferences: []metav1.OwnerReference{{Kind: "StatefulSet", Name: "redis", UID: "5f4e3d2c1b0a"}},
			Finalizers:      []string{"acme.com/ledger", "kubernetes.io/pvc-protection"},
		}
	}
	node := &corev1.Node{ObjectMeta: meta("", "ip-10-20-30-40.acme.internal")}
	node.Spec = corev1.NodeSpec{ProviderID: "aws:///us-east-1c/i-0a1b2c3d4e5f", PodCIDR: "10.20.30.0/24", Taints: []corev1.Taint{{Key: "acme.com/dedicated", Value: "payroll", Effect: "NoSchedule"}}}
	node.Status.Addresses = []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.20.30.40"}, {Type: corev1.NodeInternalIP, Address: "2001:db8::7"}}
	node.Status.NodeInfo = corev1.NodeSystemInfo{KubeletVersion: "v1.35.2", SystemUUID: "0a1b2c3d4e5f", MachineID: "5f4e3d2c1b0a"}
	node.Status.Capacity = corev1.ResourceList{"acme.com/wintermute": {}, "cpu": {}, "hugepages-2Mi": {}}
	node.Status.VolumesInUse = []corev1.UniqueVolumeName{"kubernetes.io/csi/ebs.csi.aws.com^vol-0feedface"}
	pod := &corev1.Pod{ObjectMeta: meta("payroll", "redis-0")}
	pod.Spec = corev1.PodSpec{
		NodeName: node.Name, Hostname: "redis-0", ServiceAccountName: "ledger", PriorityClassName: "system-node-critical",
		NodeSelector: map[string]string{"acme.com/team": "payroll"},
		Tolerations:  []corev1.Toleration{{Key: "acme.com/dedicated", Value: "payroll"}},
		Containers: []corev1.Container{{
			Name: "redis", Image: "123456789012.dkr.ecr.us-east-1.amazonaws.com/acme/redis:Zanzibar", Command: []string{"/bin/redis", "--password=s3cr3t"},
			Env: []corev1.EnvVar{{Name: "LEDGER", Value: "hush", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{Key: "payroll"}}}},
		}},
		Volumes: []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}}},
	}
	pod.Status = corev1.PodStatus{PodIP: "10.20.30.41", HostIP: "10.20.30.40", Message: "The node ip-10-20-30-40.acme.internal was low on resource: memory. Container redis was using 12Gi"}
	pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "redis", ContainerID: "containerd://0a1b2c3d4e5f5f4e3d2c1b0a"}}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: meta("payroll", "redis-0-data")}
	volume := &corev1.PersistentVolume{ObjectMeta: meta("", "pvc-0a1b2c3d-4e5f-4a6b-8c7d-0a1b2c3d4e5f")}
	volume.Spec.CSI = &corev1.CSIPersistentVolumeSource{Driver: "ebs.csi.aws.com", VolumeHandle: "vol-0feedface"}
	event := &corev1.Event{ObjectMeta: meta("payroll", "redis-0.17b"), Reason: "FailedScheduling", Message: "0/3 nodes are available: 1 node(s) had volume node affinity conflict. " +
		"Pod payroll/redis-0 was on 10.20.30.40 before, its ReplicaSet was frontend-6c5d8b7f9 in us-east-1c", InvolvedObject: corev1.ObjectReference{Kind: "Pod", Name: "redis-0", UID: pod.UID}}
	set := &appsv1.StatefulSet{ObjectMeta: meta("payroll", "redis")}
	set.Spec.Selector = &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: "acme.com/team", Operator: "In", Values: []string{"payroll"}}}}
	frontend := &appsv1.Deployment{ObjectMeta: meta("payroll", "frontend")}
	return []runtime.Object{node, pod, claim, volume, event, set, frontend}
}

func TestNoNameIsLeft(t *testing.T) {
	private := map[string]string{}
	for _, word := range words {
		private[word] = "what a company says"
	}
	leaks(t, private, secretive()...)
}

// TestUnlikelyPlacesHoldNoName puts one private word, "wintermute", where names are not expected.
func TestUnlikelyPlacesHoldNoName(t *testing.T) {
	meta := metav1.ObjectMeta{Namespace: "default", Name: "a"}
	labelled := func(key, value string) runtime.Object {
		return &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", Labels: map[string]string{key: value}}}
	}
	says := func(message string) runtime.Object { return &corev1.Event{ObjectMeta: meta, Message: message} }
	for name, o := range map[string]runtime.Object{
		"a load balancer's gate": &corev1.Pod{ObjectMeta: meta, Spec: corev1.PodSpec{ReadinessGates: []corev1.PodReadinessGate{{ConditionType: "target-health.elbv2.k8s.aws/k8s-wintermute-0a1b2c3d4e"}}}},
		"an operator's kind":     &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "a", OwnerReferences: []metav1.OwnerReference{{APIVersion: "wintermute.io/v1", Kind: "WintermuteJob", Name: "a"}}}},
		"a role":                 labelled("node-role.kubernetes.io/wintermute", ""),
		"a restricted label":     labelled("wintermute.node-restriction.kubernetes.io/wintermute", "x"),
		"a zone of one's own":    labelled("topology.kubernetes.io/zone", "wintermute-1"),
		"a machine of one's own": labelled("node.kubernetes.io/instance-type", "wintermute.large"),
		"a registry's address":   labelled("kubernetes.io/from", "wintermute.dkr.ecr.us-east-1.amazonaws.com"),
		"a page's address":       &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a", Annotations: map[string]string{"x.kubernetes.io/see": "docs.google.com/wintermute"}}},
		"a system of one's own":  &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Status: corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{OSImage: "Wintermute Linux 7", KernelVersion: "5.10.0-wintermute.x86_64"}}},
		"a condition":            &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: "WintermuteReady", Reason: "WintermuteIsReady"}}}},
		"a device's driver":      &resourcev1.ResourceSlice{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: resourcev1.ResourceSliceSpec{Driver: "gpu.wintermute.io", Devices: []resourcev1.Device{{Attributes: map[resourcev1.QualifiedName]resourcev1.DeviceAttribute{"wintermute.io/x": {}}}}}},
		"what nobody else names": says("Failed to pull image \"wintermute:v3\": unauthorized"),
		"a program's last words": says("panic: WINTERMUTE is not set"),
		"a pod that is gone":     says("Created pod: wintermute-6c5d8b7f9-x2x4v"),
		"an address in words":    says("see https://wintermute.com/a?b=wintermute"),
	} {
		t.Run(name, func(t *testing.T) { leaks(t, map[string]string{"wintermute": name}, o) })
	}
	address := map[string]string{"10.20.30.40": "an address", "10-20-30-40": "an address", "2001:db8:0:1::7": "an address", "db8": "an address"}
	for _, message := range []string{
		"dial tcp 10.20.30.40:443: connect", "node worker-10-20-30-40 is down", "dial tcp [2001:db8:0:1::7]:443", "from 2001:db8:0:1::/64", "https://10.20.30.40/x",
	} {
		leaks(t, address, says(message))
	}
}

// TestWhatIsSaidStaysReadable holds what is not private against what becomes of it.
func TestWhatIsSaidStaysReadable(t *testing.T) {
	for _, message := range []string{
		"0/12 nodes are available: 3 Insufficient cpu, 4 node(s) had untolerated taint(s), 5 node(s) didn't match pod topology spread constraints. preemption: 0/12 nodes are available: 12 Preemption is not helpful for scheduling.",
		"The node was low on resource: ephemeral-storage. Threshold quantity: 2145767014, available: 1922048Ki.",
		"Back-off restarting failed container", "Liveness probe failed: HTTP probe failed with statuscode: 500", "failed to assign an IP address to container",
		"pod didn't trigger scale-up: 1 max node group size reached, 2 node(s) had volume node affinity conflict", "exceeded quota: requested: requests.cpu=1, used: requests.cpu=9500m, limited: requests.cpu=10",
		"Multi-Attach error for volume", "AttachVolume.Attach failed for volume", "no such host", "x509: certificate signed by unknown authority", "container has runAsNonRoot and image will run as root",
	} {
		world, err := cluster.New(cluster.Contents{Objects: []runtime.Object{&corev1.Event{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Message: message}}}).Anonymize()
		if err != nil {
			t.Fatal(err)
		}
		got, digits := world.AllEvents()[0].Message, regexp.MustCompile(`\d{6,}`)
		if diff := cmp.Diff(digits.ReplaceAllString(message, "#"), digits.ReplaceAllString(got, "#")); diff != "" {
			t.Errorf("(-said +anonymous):\n%s", diff)
		}
	}
}

// TestNamesStayConsistent looks at what points at what.
func TestNamesStayConsistent(t *testing.T) {
	world, err := cluster.New(cluster.Contents{Objects: secretive()}).Anonymize()
	if err != nil {
		t.Fatal(err)
	}
	pod, node, set := world.Pods()[0], world.Nodes()[0], world.StatefulSets()[0]
	claim := cluster.ClaimName(pod, &pod.Spec.Volumes[0])
	event := world.AllEvents()[0]
	team := set.Spec.Selector.MatchExpressions[0]
	for what, same := range map[string]bool{
		"the pod's node":              pod.Spec.NodeName == node.Name,
		"the node's address":          pod.Status.HostIP == node.Status.Addresses[0].Address && strings.HasPrefix(node.Name, "ip-"+strings.ReplaceAll(pod.Status.HostIP, ".", "-")),
		"the address' network":        strings.HasPrefix(node.Spec.PodCIDR, pod.Status.PodIP[:strings.LastIndex(pod.Status.PodIP, ".")]),
		"the set's pod":               pod.Name == set.Name+"-0" && pod.Spec.Hostname == pod.Name,
		"the claim made for a pod":    world.Claim(pod.Namespace, claim) != nil,
		"the owner":                   pod.OwnerReferences[0].Name == set.Name,
		"what an event is about":      len(world.Events(pod.UID)) == 1,
		"what an event says":          strings.Contains(event.Message, "0/3 nodes are available: 1 node(s) had volume node affinity conflict. Pod "+pod.Namespace+"/"+pod.Name+" was on "+pod.Status.HostIP+" before"),
		"a zone in a sentence":        strings.HasSuffix(event.Message, " in us-east-1c"),
		"what a pod says":             strings.HasPrefix(pod.Status.Message, "The node "+node.Name+" was low on resource: memory. Container "+pod.Spec.Containers[0].Name+" was using 12Gi"),
		"a label and what asks of it": pod.Labels[team.Key] == team.Values[0] && pod.Spec.NodeSelector[team.Key] == team.Values[0],
		"a taint and what it suffers": node.Spec.Taints[0].Key == pod.Spec.Tolerations[0].Key && node.Spec.Taints[0].Value == pod.Spec.Tolerations[0].Value,
		"the zone":                    cluster.Zone(node) == "us-east-1c",
		"the group's label":           len(world.Groups()) == 1 && world.Groups()[0].Name != "wintermute",
		"Kubernetes' priority":        pod.Spec.PriorityClassName == "system-node-critical",
		"Kubernetes' finalizer":       pod.Finalizers[1] == "kubernetes.io/pvc-protection",
		"the driver":                  world.Volumes()[0].Spec.CSI.Driver == "ebs.csi.aws.com",
		"the volume in use":           strings.HasSuffix(string(node.Status.VolumesInUse[0]), "^"+world.Volumes()[0].Spec.CSI.VolumeHandle),
		"a claim's node":              world.Claims()[0].Annotations["volume.kubernetes.io/selected-node"] == node.Name,
		"a resource of Kubernetes":    node.Status.Capacity.Name("hugepages-2Mi", "").IsZero() && len(node.Status.Capacity) == 3,
		"the kubelet's version":       node.Status.NodeInfo.KubeletVersion == "v1.35.2",
	} {
		if !same {
			t.Errorf("%s is lost", what)
		}
	}
	if t.Failed() {
		t.Logf("node %+v\npod %+v\nevent %s", node, pod, event.Message)
	}
}

// TestNamesStayApart anonymizes many short names: no two become one.
func TestNamesStayApart(t *testing.T) {
	var objects []runtime.Object
	for a := 'a'; a <= 'z'; a++ {
		for b := 'a'; b <= 'z'; b++ {
			objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: string(a) + string(b)}})
		}
		objects = append(objects, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: string(a)}})
	}
	world, err := cluster.New(cluster.Contents{Objects: objects}).Anonymize()
	if err != nil {
		t.Fatal(err)
	}
	if len(world.Namespaces()) != len(objects) {
		t.Errorf("%d names became %d", len(objects), len(world.Namespaces()))
	}
}
