package agreement

import (
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// began is when the first of the running pods started; they are minutes apart, and many started together.
var began = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

// pod is a plain one of an app, with requests.
func (w *world) pod(name string) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: pick(w.random, namespaces...), Name: name,
			Labels: map[string]string{appLabel: pick(w.random, apps...), trackLabel: pick(w.random, "stable", "canary")},
		},
		Spec: corev1.PodSpec{
			TerminationGracePeriodSeconds: new(int64(pick(w.random, 0, 0, 30))),
			Containers: []corev1.Container{{
				Name: "main", Image: pick(w.random, images...).Names[0],
				Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
					corev1.ResourceCPU:    *resource.NewMilliQuantity(int64(w.between(1, 15))*100, resource.DecimalSI),
					corev1.ResourceMemory: *resource.NewQuantity(int64(w.between(1, 20))*128<<20, resource.BinarySI),
				}},
			}},
		},
	}
	if w.uniform {
		size := int64(w.between(1, 2))
		pod.Spec.Containers[0].Resources.Requests = corev1.ResourceList{
			corev1.ResourceCPU:    *resource.NewMilliQuantity(500*size, resource.DecimalSI),
			corev1.ResourceMemory: *resource.NewQuantity(size<<30, resource.BinarySI),
		}
	}
	return pod
}

// fill puts running pods on a node until about as much of its CPU is in use as should be.
func (w *world) fill(node *corev1.Node) {
	for _, taint := range node.Spec.Taints {
		if taint.Effect == corev1.TaintEffectNoExecute {
			return
		}
	}
	free := node.Status.Allocatable.DeepCopy()
	take := func(name corev1.ResourceName, n resource.Quantity) bool {
		left := free[name]
		left.Sub(n)
		free[name] = left
		return left.Sign() >= 0
	}
	target := resource.NewMilliQuantity(node.Status.Allocatable.Cpu().MilliValue()*int64(100-w.full)/100, resource.DecimalSI)
	for i := 0; free.Cpu().Cmp(*target) > 0; i++ {
		pod := w.pod(fmt.Sprintf("%s-%d", node.Name, i))
		requests := pod.Spec.Containers[0].Resources.Requests
		if !take(corev1.ResourceCPU, requests[corev1.ResourceCPU]) ||
			!take(corev1.ResourceMemory, requests[corev1.ResourceMemory]) ||
			!take(corev1.ResourcePods, resource.MustParse("1")) {
			return
		}
		w.resident(pod, node)
		w.add(pod)
	}
}

// resident makes a pod one that has long run on a node and takes room that others need.
func (w *world) resident(pod *corev1.Pod, node *corev1.Node) {
	pod.Spec.NodeName = node.Name
	pod.Status.StartTime = &metav1.Time{Time: began.Add(time.Duration(w.between(0, 3)) * time.Minute)}
	w.prioritise(pod, 60, -10, 10, 100)
	if w.chance(12) {
		w.affinity(pod, true)
	}
	if w.chance(25) {
		w.port(pod)
	}
	if w.chance(10) {
		iscsi(pod, pick(w.random, "a", "b"))
	}
	if w.chance(10) {
		w.bound(pod, where{}, corev1.ReadWriteOnce)
	}
	if w.chance(4) {
		w.bound(pod, where{}, corev1.ReadWriteOncePod)
	}
	if _, has := node.Status.Allocatable[gpu]; has && w.chance(20) {
		limits(pod, gpu, 1)
	}
}

// prioritise gives pods, in so many of a hundred cases, one of these priorities.
func (w *world) prioritise(pod *corev1.Pod, percent int, of ...int32) {
	if !w.chance(percent) {
		return
	}
	policy := corev1.PreemptLowerPriority
	if w.chance(15) {
		policy = corev1.PreemptNever
	}
	pod.Spec.PriorityClassName = className(pick(w.random, of...), policy)
}

func limits(pod *corev1.Pod, name corev1.ResourceName, n int64) {
	main := &pod.Spec.Containers[0].Resources
	main.Requests[name] = *resource.NewQuantity(n, resource.DecimalSI)
	if main.Limits == nil {
		main.Limits = corev1.ResourceList{}
	}
	main.Limits[name] = *resource.NewQuantity(n, resource.DecimalSI)
}

func (w *world) port(pod *corev1.Pod) {
	port := corev1.ContainerPort{ContainerPort: 8080, HostPort: int32(pick(w.random, 8080, 8080, 8080, 9090))}
	port.Protocol = pick(w.random, corev1.ProtocolTCP, corev1.ProtocolTCP, corev1.ProtocolTCP, corev1.ProtocolUDP)
	if w.chance(20) {
		port.HostIP = "127.0.0.1"
	}
	pod.Spec.Containers[0].Ports = append(pod.Spec.Containers[0].Ports, port)
}

// newPod is a pod to be placed. Each constraint is there by chance, most pods having one or two.
func (w *world) newPod(i int) *corev1.Pod {
	pod := w.pod(fmt.Sprintf("new-%d", i))
	w.prioritise(pod, 60, -10, 10, 100, 100, 1000, 1000)
	if len(w.schedulers) > 0 {
		pod.Spec.SchedulerName = pick(w.random, w.schedulers...)
	}
	for _, constraint := range []struct {
		percent int
		impose  func(*corev1.Pod)
	}{
		{20, w.resources},
		{40, w.tolerate},
		{20, w.selectNodes},
		{20, func(pod *corev1.Pod) { w.affinity(pod, false) }},
		{20, w.spread},
		{15, w.port},
		{35, w.volume},
		{20, w.device},
		{15, restart},
		{4, func(pod *corev1.Pod) {
			pod.Spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/wait"}}
		}},
	} {
		if w.roomy {
			constraint.percent /= 3
		}
		if w.chance(constraint.percent) {
			constraint.impose(pod)
		}
	}
	return pod
}

// resources asks for more than CPU and memory, or for much.
func (w *world) resources(pod *corev1.Pod) {
	requests := pod.Spec.Containers[0].Resources.Requests
	switch w.IntN(5) {
	case 0:
		limits(pod, gpu, int64(w.between(1, 2)))
	case 1:
		requests[corev1.ResourceCPU] = *resource.NewQuantity(int64(w.between(2, 6)), resource.DecimalSI)
	case 2:
		requests[corev1.ResourceMemory] = *resource.NewQuantity(int64(w.between(3, 12))<<30, resource.BinarySI)
	case 3:
		requests[corev1.ResourceEphemeralStorage] = *resource.NewQuantity(int64(w.between(5, 30))<<30, resource.BinarySI)
	case 4:
		// What starts before the pod needs the most; a sidecar stays.
		pod.Spec.InitContainers = []corev1.Container{
			{Name: "sidecar", Image: "example.com/small:1", RestartPolicy: new(corev1.ContainerRestartPolicyAlways)},
			{Name: "setup", Image: "example.com/small:1"},
		}
		for i := range pod.Spec.InitContainers {
			pod.Spec.InitContainers[i].Resources.Requests = corev1.ResourceList{
				corev1.ResourceCPU: *resource.NewMilliQuantity(int64(w.between(1, 30))*100, resource.DecimalSI),
			}
		}
	}
}

// restart asks for what not every node's kubelet can do.
func restart(pod *corev1.Pod) {
	main := &pod.Spec.Containers[0]
	main.RestartPolicy = new(corev1.ContainerRestartPolicyNever)
	main.RestartPolicyRules = []corev1.ContainerRestartRule{{
		Action: corev1.ContainerRestartRuleActionRestartAllContainers,
		ExitCodes: &corev1.ContainerRestartRuleOnExitCodes{
			Operator: corev1.ContainerRestartRuleOnExitCodesOpIn, Values: []int32{1},
		},
	}}
}

func (w *world) tolerate(pod *corev1.Pod) {
	pod.Spec.Tolerations = pickSome(w.random, 50,
		corev1.Toleration{Key: dedicated, Operator: corev1.TolerationOpEqual, Value: "batch", Effect: corev1.TaintEffectNoSchedule},
		corev1.Toleration{Key: dedicated, Operator: corev1.TolerationOpExists},
		corev1.Toleration{Key: spot, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectPreferNoSchedule},
		corev1.Toleration{Key: leaving, Operator: corev1.TolerationOpExists},
	)
}

func (w *world) volume(pod *corev1.Pod) {
	switch w.IntN(12) {
	case 0, 1:
		w.bound(pod, inZone(pick(w.random, zones...)), corev1.ReadWriteOnce)
	case 2, 3:
		w.bound(pod, labelledZone(pick(w.random, zones...)), corev1.ReadWriteOnce)
	case 4, 5:
		for range w.between(1, 2) {
			w.bound(pod, where{}, corev1.ReadWriteOnce)
		}
	case 6:
		w.bound(pod, onNode(pick(w.random, w.nodes...).Name), corev1.ReadWriteOnce)
	case 7:
		w.unbound(pod, pick(w.random, waitClass, southClass, roomClass))
	case 8:
		w.unbound(pod, pick(w.random, localClass, nowClass))
	case 9, 10:
		iscsi(pod, pick(w.random, "a", "b"))
	case 11:
		w.shared(pod)
	}
}

// shared gives a pod the volume of one that runs and wants it for itself, if there is one in its namespace.
func (w *world) shared(pod *corev1.Pod) {
	for _, o := range w.objects {
		claim, ok := o.(*corev1.PersistentVolumeClaim)
		if ok && claim.Namespace == pod.Namespace && claim.Spec.AccessModes[0] == corev1.ReadWriteOncePod {
			use(pod, claim.Name)
			return
		}
	}
	use(pod, "missing")
}
