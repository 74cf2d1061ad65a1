package forecasts

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// The namespaces of made-up worlds. Team has quotas and limits in some; locked enforces the Pod Security Standard "restricted"
// in all.
const (
	plain  = "default"
	team   = "team"
	locked = "locked"
)

// manifest is an object as a person would write it.
type manifest = map[string]any

// world is a made-up cluster: its node groups, and what people applied to it.
type world struct {
	groups  []cloud.GroupSpec
	objects []manifest
}

// newWorld draws a cluster that is between two thirds full and a little more than full.
func newWorld(seed uint64) world {
	g := &generator{random: newRandom(seed, 0), apps: map[string]string{}}
	w := world{groups: g.groups(seed)}
	room := 0
	for _, group := range w.groups {
		room += group.Desired * map[string]int{"m5.large": 1930, "m5.xlarge": 3920}[group.InstanceType]
	}
	w.objects = append(w.objects, g.limits()...)
	full := room * (65 + g.IntN(40)) / 100
	for i := 1; g.asked < full && i <= 9; i++ {
		w.objects = append(w.objects, g.workload(i)...)
	}
	return w
}

// generator makes up objects.
type generator struct {
	random
	// apps are the workloads made so far, with their namespaces, and names them in order.
	apps  map[string]string
	names []string
	// asked is how much CPU they ask for, in thousandths of a core.
	asked int
	// limited says that the namespace team has a quota or limits.
	limited bool
}

func (g *generator) groups(seed uint64) []cloud.GroupSpec {
	boot := &metav1.Duration{Duration: 4 * time.Second}
	first := cloud.GroupSpec{
		Name: fmt.Sprint("g0-", seed), InstanceType: "m5.large", Desired: 2 + g.IntN(3), Max: 12, BootDelay: boot, Labels: map[string]string{"pool": "p0"},
	}
	second := cloud.GroupSpec{
		Name: fmt.Sprint("g1-", seed), InstanceType: pick(g.random, "m5.large", "m5.xlarge"), Desired: 1 + g.IntN(3), Max: 12, BootDelay: boot,
		Labels: map[string]string{"pool": "p1"},
	}
	if g.percent(50) {
		second.Taints = []corev1.Taint{{Key: "dedicated", Value: "p1", Effect: corev1.TaintEffectNoSchedule}}
	}
	if g.percent(25) {
		second.Zones = []string{"us-east-1a", "us-east-1b"}
	}
	groups := []cloud.GroupSpec{first, second}
	for i := range groups {
		groups[i].SuspendedProcesses = []string{"AZRebalance"} // Nothing in the cluster shows it.
	}
	return groups
}

// limits are what holds the namespace team back.
func (g *generator) limits() []manifest {
	var found []manifest
	if g.percent(30) {
		hard := pick(g.random, corev1.ResourceList{corev1.ResourcePods: *resource.NewQuantity(int64(3+g.IntN(5)), resource.DecimalSI)},
			corev1.ResourceList{corev1.ResourceRequestsCPU: cpu(1000 + 200*g.IntN(8))})
		found = append(found, written(&corev1.ResourceQuota{ObjectMeta: named(team, "quota"), Spec: corev1.ResourceQuotaSpec{Hard: hard}}))
	}
	if g.percent(15) {
		item := pick(g.random,
			corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, DefaultRequest: corev1.ResourceList{corev1.ResourceCPU: cpu(600)}},
			corev1.LimitRangeItem{Type: corev1.LimitTypeContainer, Max: corev1.ResourceList{corev1.ResourceCPU: cpu(1000)}})
		found = append(found, written(&corev1.LimitRange{ObjectMeta: named(team, "limits"), Spec: corev1.LimitRangeSpec{Limits: []corev1.LimitRangeItem{item}}}))
	}
	g.limited = len(found) > 0
	return found
}

// workload is one of some kind, with what belongs to it.
func (g *generator) workload(i int) []manifest {
	namespace := plain
	if g.limited && g.percent(40) || g.percent(8) {
		namespace = team
	}
	draw := g.IntN(100)
	switch {
	case draw < 48:
		return g.deployment(fmt.Sprint("web", i), namespace)
	case draw < 58:
		return g.volumeDeployment(fmt.Sprint("disk", i), namespace)
	case draw < 73:
		return g.statefulSet(fmt.Sprint("set", i), namespace)
	case draw < 81:
		return g.daemonSet(fmt.Sprint("daemon", i), namespace)
	case draw < 91:
		return g.job(fmt.Sprint("job", i), namespace)
	case draw < 96:
		return g.lone(fmt.Sprint("lone", i), namespace)
	default:
		return g.replicaSet(fmt.Sprint("rs", i), namespace)
	}
}

func (g *generator) deployment(name, namespace string) []manifest {
	replicas := int32(1 + g.IntN(6))
	template := g.template(name, int(replicas))
	d := &appsv1.Deployment{ObjectMeta: named(namespace, name), Spec: appsv1.DeploymentSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}, Template: template, Strategy: g.strategy(),
	}}
	d.Spec.Paused = g.percent(4)
	g.note(name, namespace)
	return append(g.budget(name, namespace, int(replicas)), written(d))
}

func (g *generator) strategy() appsv1.DeploymentStrategy {
	if g.percent(12) {
		return appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
	}
	bounds := pick(g.random, [2]string{"1", "0"}, [2]string{"0", "1"}, [2]string{"25%", "25%"}, [2]string{"1", "1"}, [2]string{"50%", "0"})
	surge, unavailable := intstr.Parse(bounds[0]), intstr.Parse(bounds[1])
	return appsv1.DeploymentStrategy{
		Type: appsv1.RollingUpdateDeploymentStrategyType, RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &surge, MaxUnavailable: &unavailable},
	}
}

// volumeDeployment is one whose pods share a volume.
func (g *generator) volumeDeployment(name, namespace string) []manifest {
	objects := g.deployment(name, namespace)
	mode := corev1.ReadWriteOnce
	if g.percent(25) {
		mode = corev1.ReadWriteOncePod
	}
	d := objects[len(objects)-1]
	spec := d["spec"].(manifest)
	spec["replicas"] = int64(1)
	if g.percent(30) {
		spec["replicas"] = int64(2)
	}
	pod := spec["template"].(manifest)["spec"].(manifest)
	pod["volumes"] = []any{manifest{"name": "data", "persistentVolumeClaim": manifest{"claimName": name}}}
	pod["containers"].([]any)[0].(manifest)["volumeMounts"] = []any{manifest{"name": "data", "mountPath": "/data"}}
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: named(namespace, name), Spec: claimSpec(mode)}
	return append([]manifest{written(claim)}, objects...)
}

func claimSpec(mode corev1.PersistentVolumeAccessMode) corev1.PersistentVolumeClaimSpec {
	return corev1.PersistentVolumeClaimSpec{
		StorageClassName: new("gp3"), AccessModes: []corev1.PersistentVolumeAccessMode{mode},
		Resources: corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("4Gi")}},
	}
}

func (g *generator) statefulSet(name, namespace string) []manifest {
	replicas := int32(1 + g.IntN(4))
	s := &appsv1.StatefulSet{ObjectMeta: named(namespace, name), Spec: appsv1.StatefulSetSpec{
		Replicas: &replicas, ServiceName: name, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}},
		Template: g.template(name, int(replicas)),
	}}
	if g.percent(30) {
		s.Spec.PodManagementPolicy = appsv1.ParallelPodManagement
	}
	if g.percent(10) {
		s.Spec.UpdateStrategy.Type = appsv1.OnDeleteStatefulSetStrategyType
	}
	if g.percent(60) {
		claim := corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data"}, Spec: claimSpec(corev1.ReadWriteOnce)}
		s.Spec.VolumeClaimTemplates = []corev1.PersistentVolumeClaim{claim}
		s.Spec.Template.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}
	}
	g.note(name, namespace)
	return append(g.budget(name, namespace, int(replicas)), written(s))
}

func (g *generator) daemonSet(name, namespace string) []manifest {
	template := g.template(name, 0)
	template.Spec.Containers[0].Resources = corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: cpu(50 + 50*g.IntN(3))}}
	template.Spec.InitContainers, template.Spec.Affinity, template.Spec.TopologySpreadConstraints = nil, nil, nil
	template.Spec.Resources = nil
	if g.percent(50) {
		template.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	}
	if g.percent(40) {
		template.Spec.PriorityClassName = "high"
	}
	d := &appsv1.DaemonSet{ObjectMeta: named(namespace, name), Spec: appsv1.DaemonSetSpec{
		Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}, Template: template,
	}}
	g.note(name, namespace)
	return []manifest{written(d)}
}

func (g *generator) job(name, namespace string) []manifest {
	parallel := int32(1 + g.IntN(3))
	template := g.template(name, int(parallel))
	template.Spec.RestartPolicy = corev1.RestartPolicyNever
	template.Annotations = map[string]string{"lab.naosu.dev/run-for": "200h"}
	j := &batchv1.Job{ObjectMeta: named(namespace, name), Spec: batchv1.JobSpec{
		Parallelism: &parallel, Completions: &parallel, BackoffLimit: new(pick(g.random, int32(0), 6)), Template: template,
	}}
	if g.percent(40) {
		j.Spec.PodFailurePolicy = &batchv1.PodFailurePolicy{Rules: []batchv1.PodFailurePolicyRule{{
			Action:          batchv1.PodFailurePolicyActionIgnore,
			OnPodConditions: []batchv1.PodFailurePolicyOnPodConditionsPattern{{Type: corev1.DisruptionTarget, Status: corev1.ConditionTrue}},
		}}}
	}
	if g.percent(12) {
		j.Spec.Suspend = new(true)
	}
	g.note(name, namespace)
	return []manifest{written(j)}
}

func (g *generator) lone(name, namespace string) []manifest {
	template := g.template(name, 1)
	g.note(name, namespace)
	meta := named(namespace, name)
	meta.Labels = template.Labels
	return []manifest{written(&corev1.Pod{ObjectMeta: meta, Spec: template.Spec})}
}

func (g *generator) replicaSet(name, namespace string) []manifest {
	replicas := int32(1 + g.IntN(3))
	r := &appsv1.ReplicaSet{ObjectMeta: named(namespace, name), Spec: appsv1.ReplicaSetSpec{
		Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": name}}, Template: g.template(name, int(replicas)),
	}}
	g.note(name, namespace)
	return []manifest{written(r)}
}

func (g *generator) budget(app, namespace string, replicas int) []manifest {
	if !g.percent(35) {
		return nil
	}
	b := budgetFor(app, namespace, app, g.IntN(3))
	if g.percent(50) {
		b.Spec.MaxUnavailable, b.Spec.MinAvailable = nil, new(intstr.FromInt32(int32(g.IntN(replicas+1))))
	}
	if g.percent(30) {
		b.Spec.UnhealthyPodEvictionPolicy = new(policyv1.AlwaysAllow)
	}
	return []manifest{written(b)}
}

func budgetFor(app, namespace, name string, maxUnavailable int) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{ObjectMeta: named(namespace, name), Spec: policyv1.PodDisruptionBudgetSpec{
		MaxUnavailable: new(intstr.FromInt32(int32(maxUnavailable))), Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}},
	}}
}

func (g *generator) note(name, namespace string) {
	g.apps[name] = namespace
	g.names = append(g.names, name)
}

// template makes up a pod of an app that has so many.
func (g *generator) template(app string, replicas int) corev1.PodTemplateSpec {
	wants := pick(g.random, 100, 200, 300, 400, 500, 700, 900)
	main := corev1.Container{Name: "main", Image: "img:1", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
		corev1.ResourceCPU: cpu(wants), corev1.ResourceMemory: resource.MustParse(pick(g.random, "64Mi", "256Mi", "1Gi")),
	}}}
	spec := corev1.PodSpec{TerminationGracePeriodSeconds: new(int64(1))}
	switch draw := g.IntN(100); {
	case draw < 8:
		main.Resources, wants = corev1.ResourceRequirements{}, 0
	case draw < 20:
		main.Resources.Limits = corev1.ResourceList{corev1.ResourceCPU: cpu(2 * wants)}
	}
	if g.percent(10) {
		wants += 100
		spec.InitContainers = append(spec.InitContainers, corev1.Container{
			Name: "sidecar", Image: "side:1", RestartPolicy: new(corev1.ContainerRestartPolicyAlways),
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: cpu(100)}},
		})
	}
	if g.percent(6) {
		spec.InitContainers = append(spec.InitContainers, corev1.Container{
			Name: "init", Image: "init:1", Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: cpu(1000)}},
		})
	}
	if g.percent(7) {
		wants = max(wants, 1000) + 200
		spec.Resources = &corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: cpu(wants)}}
	}
	spec.Containers = []corev1.Container{main}
	g.asked += wants * replicas
	g.classes(&spec)
	g.places(&spec, app)
	if g.percent(2) {
		spec.SchedulingGates = []corev1.PodSchedulingGate{{Name: "example.com/hold"}}
	}
	return corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": app}}, Spec: spec}
}

func (g *generator) classes(spec *corev1.PodSpec) {
	switch draw := g.IntN(100); {
	case draw < 18:
		spec.PriorityClassName = "low"
	case draw < 28:
		spec.PriorityClassName = "mid"
	case draw < 36:
		spec.PriorityClassName = "high"
	case draw < 39:
		spec.PriorityClassName = "patient"
	}
	switch draw := g.IntN(100); {
	case draw < 6:
		spec.RuntimeClassName = new("heavy")
	case draw < 9:
		spec.RuntimeClassName = new("pinned")
	}
}

// places says where pods may be, and beside which others.
func (g *generator) places(spec *corev1.PodSpec, app string) {
	dedicated := corev1.Toleration{Key: "dedicated", Operator: corev1.TolerationOpExists}
	switch draw := g.IntN(100); {
	case draw < 12:
		spec.NodeSelector = map[string]string{"pool": "p0"}
	case draw < 24:
		spec.NodeSelector = map[string]string{"pool": "p1"}
		spec.Tolerations = []corev1.Toleration{dedicated}
	case draw < 50:
		spec.Tolerations = []corev1.Toleration{dedicated}
	}
	if g.percent(10) { // Seconds of the clock on the wall: the lab's pace does not shorten them.
		for _, key := range []string{corev1.TaintNodeUnreachable, corev1.TaintNodeNotReady} {
			spec.Tolerations = append(spec.Tolerations, corev1.Toleration{
				Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(12)),
			})
		}
	}
	self := &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	zone := corev1.PodAffinityTerm{TopologyKey: corev1.LabelTopologyZone, LabelSelector: self}
	host := corev1.PodAffinityTerm{TopologyKey: corev1.LabelHostname, LabelSelector: self}
	switch draw := g.IntN(100); {
	case draw < 12:
		spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule, LabelSelector: self}}
	case draw < 18:
		spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: corev1.LabelHostname, WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: self}}
	case draw < 30:
		spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{host}}}
	case draw < 35:
		spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{zone}}}
	case draw < 41:
		spec.Affinity = &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 100, PodAffinityTerm: host}}}}
	case draw < 46 && len(g.names) > 0:
		zone.LabelSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": pick(g.random, g.names...)}}
		spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{zone}}}
	case draw < 49:
		spec.Containers[0].Ports = []corev1.ContainerPort{{ContainerPort: 8080, HostPort: 8080}}
	}
}

func cpu(milli int) resource.Quantity {
	return *resource.NewMilliQuantity(int64(milli), resource.DecimalSI)
}

func named(namespace, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: namespace, Name: name}
}

// written is an object as its manifest.
func written(o runtime.Object) manifest {
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		panic(err)
	}
	m, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		panic(err)
	}
	m["apiVersion"], m["kind"] = kinds[0].GroupVersion().String(), kinds[0].Kind
	delete(m, "status")
	return runtime.DeepCopyJSON(m)
}

// text are manifests as a file.
func text(objects ...manifest) string {
	var file []byte
	for _, o := range objects {
		document, err := yaml.Marshal(o)
		if err != nil {
			panic(err)
		}
		file = append(append(file, "---\n"...), document...)
	}
	return string(file)
}

// nameOf and namespaceOf are a manifest's.
func nameOf(m manifest) string { return m["metadata"].(manifest)["name"].(string) }

func namespaceOf(m manifest) string {
	return cmp.Or(m["metadata"].(manifest)["namespace"].(string), plain)
}

// ofKind are the manifests of some kinds.
func ofKind(objects []manifest, kinds ...string) []manifest {
	return slices.DeleteFunc(slices.Clone(objects), func(m manifest) bool { return !slices.Contains(kinds, m["kind"].(string)) })
}
