package clustertest

import (
	"fmt"
	"maps"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/cluster"
)

const namespaces = 50

func namespaceOf(i int) string { return fmt.Sprintf("team-%02d", i%namespaces) }

var (
	replicas = []int{3, 5, 10, 20, 50}
	requests = []string{"750m", "500m", "1", "250m", "250m"}
	memory   = []string{"128Mi", "512Mi", "1Gi", "2Gi"}
)

// template is a pod as workloads have it.
func (b *big) template(labels map[string]string, name, cpu, memory string) corev1.PodTemplateSpec {
	var env []corev1.EnvVar
	for i := range 8 {
		env = append(env, corev1.EnvVar{Name: fmt.Sprintf("SETTING_%d", i), Value: fmt.Sprintf("%s-value-%d", name, i)})
	}
	probe := &corev1.Probe{ProbeHandler: corev1.ProbeHandler{HTTPGet: &corev1.HTTPGetAction{Path: "/healthz", Port: intstr.FromInt32(8080)}}, PeriodSeconds: 10, TimeoutSeconds: 1, SuccessThreshold: 1, FailureThreshold: 3}
	t := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}}
	t.Spec = corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyAlways, DNSPolicy: corev1.DNSClusterFirst, SchedulerName: corev1.DefaultSchedulerName, ServiceAccountName: name,
		TerminationGracePeriodSeconds: new(int64(30)), SecurityContext: &corev1.PodSecurityContext{}, EnableServiceLinks: new(true), Priority: new(int32(0)),
		PreemptionPolicy: new(corev1.PreemptLowerPriority),
		Containers: []corev1.Container{{
			Name: name, Image: "registry.example.com/" + name + ":v1.4.2", Env: env, ReadinessProbe: probe, LivenessProbe: probe,
			Ports:     []corev1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: corev1.ProtocolTCP}},
			Resources: corev1.ResourceRequirements{Requests: resources(cpu, memory)}, ImagePullPolicy: corev1.PullIfNotPresent,
			TerminationMessagePath: corev1.TerminationMessagePathDefault, TerminationMessagePolicy: corev1.TerminationMessageReadFile,
		}},
	}
	return t
}

func (b *big) deployment(i int) {
	namespace, name := namespaceOf(i), fmt.Sprintf("app-%d", i)
	count := min(replicas[i%len(replicas)], b.pods, len(b.nodes))
	labels := map[string]string{"app.kubernetes.io/name": name, "app.kubernetes.io/part-of": namespace}
	template := b.template(labels, name, requests[i%len(requests)], memory[i%len(memory)])
	selector := &metav1.LabelSelector{MatchLabels: labels}
	constrain(&template.Spec, selector, i)
	d := &appsv1.Deployment{TypeMeta: kind("apps/v1", "Deployment"), ObjectMeta: b.meta(namespace, name, labels)}
	d.Spec = appsv1.DeploymentSpec{Replicas: new(int32(count)), Selector: selector, Template: template}
	d.Status = appsv1.DeploymentStatus{Replicas: int32(count), ReadyReplicas: int32(count), AvailableReplicas: int32(count), UpdatedReplicas: int32(count)}
	b.add(d)
	hash := fmt.Sprintf("%010x", i*7919)
	withHash := map[string]string{appsv1.DefaultDeploymentUniqueLabelKey: hash}
	maps.Copy(withHash, labels)
	template.Labels = withHash
	rs := &appsv1.ReplicaSet{TypeMeta: kind("apps/v1", "ReplicaSet"), ObjectMeta: b.meta(namespace, name+"-"+hash, withHash)}
	rs.OwnerReferences = owned(d, "apps/v1", "Deployment")
	rs.Spec = appsv1.ReplicaSetSpec{Replicas: new(int32(count)), Selector: &metav1.LabelSelector{MatchLabels: withHash}, Template: template}
	rs.Status = appsv1.ReplicaSetStatus{Replicas: int32(count), ReadyReplicas: int32(count), AvailableReplicas: int32(count)}
	b.add(rs)
	for n := range count {
		b.pod(rs, "apps/v1", "ReplicaSet", fmt.Sprintf("%s-%05x", rs.Name, n), &template, b.place())
	}
	if i%4 == 0 {
		b.add(&policyv1.PodDisruptionBudget{
			TypeMeta: kind("policy/v1", "PodDisruptionBudget"), ObjectMeta: b.meta(namespace, name, labels),
			Spec:   policyv1.PodDisruptionBudgetSpec{MaxUnavailable: new(intstr.FromInt32(1)), Selector: selector},
			Status: policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: 1, CurrentHealthy: int32(count), DesiredHealthy: int32(count) - 1, ExpectedPods: int32(count)},
		})
	}
}

// constrain gives some templates a rule on where their pods go. Pods are placed on nodes in turn, which keeps them all.
func constrain(spec *corev1.PodSpec, selector *metav1.LabelSelector, i int) {
	switch {
	case i%20 == 4:
		spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{
			LabelSelector: selector, TopologyKey: corev1.LabelHostname,
		}}}}
	case i%5 == 0:
		spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 2, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: selector,
		}}
	}
}

// statefulSet has three pods, each with a volume in its node's zone.
func (b *big) statefulSet(i int) {
	namespace, name := namespaceOf(i), fmt.Sprintf("db-%d", i)
	labels := map[string]string{"app.kubernetes.io/name": name}
	template := b.template(labels, name, "500m", "1Gi")
	s := &appsv1.StatefulSet{TypeMeta: kind("apps/v1", "StatefulSet"), ObjectMeta: b.meta(namespace, name, labels)}
	count := min(3, b.pods)
	s.Spec = appsv1.StatefulSetSpec{Replicas: new(int32(count)), Selector: &metav1.LabelSelector{MatchLabels: labels}, ServiceName: name, Template: template}
	s.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: claimSpec("")}}
	s.Status = appsv1.StatefulSetStatus{Replicas: int32(count), ReadyReplicas: int32(count), AvailableReplicas: int32(count), CurrentReplicas: int32(count)}
	b.add(s)
	for n := range count {
		podName := fmt.Sprintf("%s-%d", name, n)
		node := b.place()
		pod := b.pod(s, "apps/v1", "StatefulSet", podName, &template, node)
		claim := "data-" + podName
		pod.Spec.Volumes = append([]corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}}}, pod.Spec.Volumes...)
		b.volume(namespace, claim, labels, node)
	}
}

func claimSpec(volume string) corev1.PersistentVolumeClaimSpec {
	return corev1.PersistentVolumeClaimSpec{
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, StorageClassName: new("gp3"), VolumeName: volume,
		Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("100Gi")}},
	}
}

// volume is a bound claim, its volume in the node's zone, and its attachment to the node.
func (b *big) volume(namespace, claim string, labels map[string]string, node *corev1.Node) {
	pvc := &corev1.PersistentVolumeClaim{TypeMeta: kind("v1", "PersistentVolumeClaim"), ObjectMeta: b.meta(namespace, claim, labels)}
	volume := "pvc-" + string(pvc.UID)
	pvc.Annotations = map[string]string{"pv.kubernetes.io/bind-completed": "yes", "pv.kubernetes.io/bound-by-controller": "yes"}
	pvc.Spec, pvc.Status.Phase = claimSpec(volume), corev1.ClaimBound
	b.add(pvc)
	pv := &corev1.PersistentVolume{TypeMeta: kind("v1", "PersistentVolume"), ObjectMeta: b.meta("", volume, nil)}
	pv.Spec = corev1.PersistentVolumeSpec{
		Capacity: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("100Gi")}, AccessModes: pvc.Spec.AccessModes, StorageClassName: "gp3",
		ClaimRef:                      &corev1.ObjectReference{Kind: "PersistentVolumeClaim", APIVersion: "v1", Namespace: namespace, Name: claim, UID: pvc.UID},
		PersistentVolumeSource:        corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: driver, VolumeHandle: fmt.Sprintf("vol-%017x", b.uid)}},
		PersistentVolumeReclaimPolicy: corev1.PersistentVolumeReclaimDelete,
		NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{cluster.Zone(node)}},
		}}}}},
	}
	pv.Status.Phase = corev1.VolumeBound
	b.add(pv)
	a := &storagev1.VolumeAttachment{TypeMeta: kind("storage.k8s.io/v1", "VolumeAttachment"), ObjectMeta: b.meta("", "csi-"+string(pvc.UID), nil)}
	a.Spec = storagev1.VolumeAttachmentSpec{Attacher: driver, NodeName: node.Name, Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: new(volume)}}
	a.Status.Attached = true
	b.add(a)
}

func owned(o metav1.Object, version, kind string) []metav1.OwnerReference {
	return []metav1.OwnerReference{{APIVersion: version, Kind: kind, Name: o.GetName(), UID: o.GetUID(), Controller: new(true), BlockOwnerDeletion: new(true)}}
}

// pod runs on a node.
func (b *big) pod(owner metav1.Object, version, ownerKind, name string, template *corev1.PodTemplateSpec, node *corev1.Node) *corev1.Pod {
	b.pods--
	pod := &corev1.Pod{TypeMeta: kind("v1", "Pod"), ObjectMeta: b.meta(owner.GetNamespace(), name, template.Labels), Spec: template.Spec}
	pod.OwnerReferences = owned(owner, version, ownerKind)
	pod.Spec.NodeName = node.Name
	mount := corev1.VolumeMount{Name: "kube-api-access-" + name[len(name)-5:], ReadOnly: true, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"}
	pod.Spec.Containers = []corev1.Container{template.Spec.Containers[0]}
	pod.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{mount}
	pod.Spec.Volumes = []corev1.Volume{{Name: mount.Name, VolumeSource: corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{DefaultMode: new(int32(420)), Sources: []corev1.VolumeProjection{
		{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{ExpirationSeconds: new(int64(3607)), Path: "token"}},
		{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "kube-root-ca.crt"}, Items: []corev1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
	}}}}}
	if pod.Spec.Tolerations == nil {
		for _, key := range []string{corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
			pod.Spec.Tolerations = append(pod.Spec.Tolerations, corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(300))})
		}
	}
	ip := fmt.Sprintf("10.%d.%d.%d", 100+b.uid>>16&63, b.uid>>8&255, b.uid&255)
	started := at(-time.Duration(b.uid%86_400+60) * time.Second)
	pod.CreationTimestamp = started
	pod.Status = corev1.PodStatus{
		Phase: corev1.PodRunning, QOSClass: corev1.PodQOSBurstable, HostIP: node.Status.Addresses[0].Address, PodIP: ip, PodIPs: []corev1.PodIP{{IP: ip}}, StartTime: new(started), HostIPs: []corev1.HostIP{{IP: node.Status.Addresses[0].Address}},
		ContainerStatuses: []corev1.ContainerStatus{{
			Name: pod.Spec.Containers[0].Name, Ready: true, Started: new(true), Image: pod.Spec.Containers[0].Image, ImageID: fmt.Sprintf("registry.example.com/app@sha256:%064x", len(template.Spec.ServiceAccountName)),
			ContainerID: fmt.Sprintf("containerd://%064x", b.uid), State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(started.Add(10 * time.Second))}},
		}},
	}
	for i, c := range []corev1.PodConditionType{corev1.PodScheduled, corev1.PodInitialized, corev1.PodReadyToStartContainers, corev1.ContainersReady, corev1.PodReady} {
		since := metav1.NewTime(started.Add(time.Duration(5*i) * time.Second))
		pod.Status.Conditions = append(pod.Status.Conditions, corev1.PodCondition{Type: c, Status: corev1.ConditionTrue, LastTransitionTime: since})
	}
	b.add(pod)
	if b.pods%20 == 0 {
		b.event(pod)
	}
	return pod
}

func (b *big) event(pod *corev1.Pod) {
	b.add(&corev1.Event{
		TypeMeta: kind("v1", "Event"), ObjectMeta: b.meta(pod.Namespace, pod.Name+".17", nil), Type: corev1.EventTypeNormal, Reason: "Pulled", Count: 1,
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", APIVersion: "v1", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Message:        "Container image \"" + pod.Spec.Containers[0].Image + "\" already present on machine", FirstTimestamp: at(-24 * time.Hour), LastTimestamp: at(-24 * time.Hour),
	})
}
