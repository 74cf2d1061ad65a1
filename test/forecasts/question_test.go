package forecasts

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// question is a change, or two, as naosu is asked and as it is made.
type question struct {
	// kind is what is counted together.
	kind string
	// line is what follows `naosu whatif`. A file is named as in files.
	line []string
	// files are manifests by the names they have in the line.
	files map[string]string
	// prepare makes of the cluster what is asked about; nil if it is as it is.
	prepare func(*fixture)
	// clean removes in the end what was prepared; nil if nothing was.
	clean func(*fixture)
	// steps make the change, one after the other; each comes to rest before the next.
	steps []step
	// last says that the world is of no more use after it.
	last bool
}

// step is how one change is made for real.
type step struct {
	// begin is an error if the cluster refuses the change.
	begin func(*fixture) error
	// goOn goes on with it for as long as it takes; nil if there is nothing to do.
	goOn func(*fixture) error
}

// questionGenerator generates questions about the present state of a world.
type questionGenerator struct {
	random
	world *world
	now   *cluster.Snapshot
	// groups are the desired sizes of the node groups.
	groups map[string]int
	number int
}

// maker makes a question, or says that there is none of its kind to be asked now.
type maker struct {
	kind   string
	weight int
	make   func(*questionGenerator) (question, bool)
}

func makers() []maker {
	return []maker{
		{"scale a workload", 8, (*questionGenerator).scale},
		{"drain a node", 9, (*questionGenerator).drain},
		{"cordon", 2, (*questionGenerator).cordon},
		{"uncordon", 4, (*questionGenerator).uncordon},
		{"taint", 5, (*questionGenerator).taint},
		{"untaint", 3, (*questionGenerator).untaint},
		{"lose a node", 6, (*questionGenerator).loseNode},
		{"lose a zone", 2, (*questionGenerator).loseZone},
		{"while a node is unreachable", 4, (*questionGenerator).whileUnreachable},
		{"rotate a group", 2, (*questionGenerator).rotate},
		{"resize a group", 7, (*questionGenerator).resize},
		{"add nodes", 2, (*questionGenerator).addNodes},
		{"evict a pod", 3, (*questionGenerator).evict},
		{"delete a pod", 4, (*questionGenerator).deletePod},
		{"grow a DaemonSet", 5, (*questionGenerator).grow},
		{"patch: image, env or annotation", 9, (*questionGenerator).patchLittle},
		{"patch: requests", 6, (*questionGenerator).patchRequests},
		{"patch: placement", 6, (*questionGenerator).patchPlacement},
		{"patch: paused", 3, (*questionGenerator).patchPaused},
		{"patch: a Job", 5, (*questionGenerator).patchJob},
		{"patch: a node's labels", 2, (*questionGenerator).patchNode},
		{"apply: new", 9, (*questionGenerator).applyNew},
		{"apply: changed", 9, (*questionGenerator).applyChanged},
		{"apply: should be refused", 6, (*questionGenerator).applyRefused},
	}
}

// draw draws a question. One in eight is of two changes.
func (a *questionGenerator) draw() question {
	first := a.one(makers())
	if first.last || first.prepare != nil || !a.percent(14) {
		return first
	}
	second := a.one(slices.DeleteFunc(makers(), func(m maker) bool {
		return strings.Contains(m.kind, "pod") || strings.Contains(m.kind, "unreachable") || strings.Contains(m.kind, "rotate")
	}))
	q := question{kind: "two changes", line: slices.Concat(first.line, []string{","}, second.line), files: map[string]string{}}
	for _, part := range []question{first, second} {
		q.steps = append(q.steps, part.steps...)
		q.last = q.last || part.last
		maps.Copy(q.files, part.files)
	}
	return q
}

func (a *questionGenerator) one(from []maker) question {
	for {
		sum := 0
		for _, m := range from {
			sum += m.weight
		}
		draw := a.IntN(sum)
		for _, m := range from {
			if draw -= m.weight; draw < 0 {
				if q, some := m.make(a); some {
					q.kind = m.kind
					return q
				}
				break
			}
		}
	}
}

// kubectl is a question whose change is made with one command of kubectl.
func kubectl(line []string, args ...string) question {
	return question{line: line, steps: []step{{begin: func(b *fixture) error { return b.kubectl(args...) }}}}
}

// nodes are the present ones, in an order that does not depend on their names.
func (a *questionGenerator) nodes() []*corev1.Node {
	nodes := slices.Clone(a.now.Nodes())
	slices.SortFunc(nodes, func(m, n *corev1.Node) int {
		return cmp.Or(cmp.Compare(m.Labels["pool"], n.Labels["pool"]), cmp.Compare(cluster.Zone(m), cluster.Zone(n)), cmp.Compare(m.Name, n.Name))
	})
	return nodes
}

func (a *questionGenerator) node(which func(*corev1.Node) bool) (*corev1.Node, bool) {
	nodes := slices.DeleteFunc(a.nodes(), func(n *corev1.Node) bool { return !which(n) })
	if len(nodes) == 0 {
		return nil, false
	}
	return pick(a.random, nodes...), true
}

func anyNode(*corev1.Node) bool { return true }

// pod is one that runs or waits.
func (a *questionGenerator) pod() (*corev1.Pod, bool) {
	pods := slices.DeleteFunc(slices.Clone(a.now.Pods()), func(p *corev1.Pod) bool {
		return p.DeletionTimestamp != nil || finished(p)
	})
	slices.SortFunc(pods, func(p, q *corev1.Pod) int {
		return cmp.Or(cmp.Compare(p.Labels["app"], q.Labels["app"]), cmp.Compare(p.Spec.NodeName, q.Spec.NodeName), cmp.Compare(p.Name, q.Name))
	})
	if len(pods) == 0 {
		return nil, false
	}
	return pick(a.random, pods...), true
}

// object is what was applied of some kinds.
func (a *questionGenerator) object(kinds ...string) (manifest, bool) {
	objects := ofKind(a.world.objects, kinds...)
	if len(objects) == 0 {
		return nil, false
	}
	return pick(a.random, objects...), true
}

func (a *questionGenerator) scale() (question, bool) {
	o, some := a.object("Deployment", "StatefulSet", "ReplicaSet")
	if !some {
		return question{}, false
	}
	kind, to := strings.ToLower(o["kind"].(string)), fmt.Sprint(a.IntN(9))
	return kubectl([]string{"scale", path(o), "--replicas", to}, "scale", kind, nameOf(o), "-n", namespaceOf(o), "--replicas", to), true
}

// path is an object's argument on naosu's command line.
func path(o manifest) string {
	return namespaceOf(o) + "/" + strings.ToLower(o["kind"].(string)) + "/" + nameOf(o)
}

func (a *questionGenerator) drain() (question, bool) {
	n, some := a.node(anyNode)
	if !some {
		return question{}, false
	}
	return question{line: []string{"drain", "node/" + n.Name}, steps: []step{{
		begin: func(b *fixture) error { return b.kubectl("cordon", n.Name) },
		goOn:  func(b *fixture) error { return b.evict(n.Name) },
	}}}, true
}

func (a *questionGenerator) cordon() (question, bool) {
	n, some := a.node(func(n *corev1.Node) bool { return !n.Spec.Unschedulable })
	if !some {
		return question{}, false
	}
	return kubectl([]string{"cordon", "node/" + n.Name}, "cordon", n.Name), true
}

func (a *questionGenerator) uncordon() (question, bool) {
	n, some := a.node(func(n *corev1.Node) bool { return n.Spec.Unschedulable })
	if !some {
		return question{}, false
	}
	return kubectl([]string{"uncordon", "node/" + n.Name}, "uncordon", n.Name), true
}

func (a *questionGenerator) taint() (question, bool) {
	n, some := a.node(anyNode)
	key, value := "dedicated", "other"
	if a.percent(50) {
		key, value = "maintenance", "soon"
	}
	effect := pick(a.random, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule)
	if !some || slices.ContainsFunc(n.Spec.Taints, func(t corev1.Taint) bool { return t.Key == key && t.Effect == effect }) {
		return question{}, false // kubectl replaces a taint only with --overwrite.
	}
	taint := key + "=" + value + ":" + string(effect)
	return kubectl([]string{"taint", "node/" + n.Name, taint}, "taint", "nodes", n.Name, taint), true
}

func (a *questionGenerator) untaint() (question, bool) {
	own := func(t corev1.Taint) bool { return !strings.Contains(t.Key, "kubernetes.io") }
	n, some := a.node(func(n *corev1.Node) bool { return slices.ContainsFunc(n.Spec.Taints, own) })
	if !some {
		return question{}, false
	}
	taint := n.Spec.Taints[slices.IndexFunc(n.Spec.Taints, own)]
	text := taint.ToString()
	return kubectl([]string{"untaint", "node/" + n.Name, text}, "taint", "nodes", n.Name, text+"-"), true
}

// loseNode loses one of two nodes or more.
func (a *questionGenerator) loseNode() (question, bool) {
	n, some := a.node(anyNode)
	if !some || len(a.nodes()) < 2 {
		return question{}, false
	}
	return question{line: []string{"lose", "node/" + n.Name}, steps: []step{lossOf(func(m *corev1.Node) bool { return m.Name == n.Name })}}, true
}

// loseZone loses one of two zones or more.
func (a *questionGenerator) loseZone() (question, bool) {
	n, some := a.node(anyNode)
	if !some {
		return question{}, false
	}
	zone := cluster.Zone(n)
	inZone := func(m *corev1.Node) bool { return cluster.Zone(m) == zone }
	if !slices.ContainsFunc(a.nodes(), func(m *corev1.Node) bool { return !inZone(m) }) {
		return question{}, false
	}
	s := lossOf(inZone)
	machines := s.begin
	s.begin = func(b *fixture) error {
		if err := b.lab.Cloud.LoseZone(zone); err != nil {
			return err
		}
		return machines(b)
	}
	return question{line: []string{"lose", "zone/" + zone}, last: true, steps: []step{s}}, true
}

// whileUnreachable asks about a small change while a node is unreachable, and before all of its pods are being deleted.
func (a *questionGenerator) whileUnreachable() (question, bool) {
	n, some := a.node(anyNode)
	if !some || len(a.nodes()) < 3 {
		return question{}, false
	}
	other := pick(a.random, slices.DeleteFunc(a.nodes(), func(m *corev1.Node) bool { return m.Name == n.Name })...)
	q := kubectl([]string{"cordon", "node/" + other.Name}, "cordon", other.Name)
	if a.percent(50) {
		q = kubectl([]string{"patch", "node/" + other.Name, "-p", `{"metadata":{"labels":{"note":"x"}}}`}, "label", "node", other.Name, "note=x", "--overwrite")
	}
	q.prepare = func(b *fixture) { b.switchOff(n.Name) }
	q.clean = func(b *fixture) { b.deleteNodes(n.Name) }
	return q, true
}

func (a *questionGenerator) rotate() (question, bool) {
	name, size := a.group()
	if a.lacks(name) || size > 4 || slices.ContainsFunc(a.nodes(), func(n *corev1.Node) bool { return n.Spec.Unschedulable }) {
		return question{}, false
	}
	return question{line: []string{"rotate", "group/" + name}, steps: []step{rotating(name)}, last: true}, true
}

func (a *questionGenerator) group() (name string, size int) {
	name = pick(a.random, a.world.groups...).Name
	return name, a.groups[name]
}

func (a *questionGenerator) resize() (question, bool) {
	name, size := a.group()
	to := min(12, max(0, size-2+a.IntN(5)))
	if to == size || len(a.nodes())+to-size < 2 || a.lacks(name) {
		return question{}, false
	}
	return question{line: []string{"scale", "group/" + name, "--to", fmt.Sprint(to)}, steps: []step{resizing(name, to)}}, true
}

// lacks says that a group has fewer nodes than it wants, or none: naosu, which sees nodes alone, cannot know what it wants.
func (a *questionGenerator) lacks(group string) bool {
	there := 0
	for _, n := range a.nodes() {
		if n.Labels["eks.amazonaws.com/nodegroup"] == group {
			there++
		}
	}
	return there == 0 || there != a.groups[group]
}

func (a *questionGenerator) addNodes() (question, bool) {
	name, size := a.group()
	more := 1 + a.IntN(2)
	if size+more > 12 || a.lacks(name) {
		return question{}, false
	}
	return question{line: []string{"add-nodes", fmt.Sprint(more), "--group", name}, steps: []step{resizing(name, size+more)}}, true
}

func (a *questionGenerator) evict() (question, bool) {
	p, some := a.pod()
	if !some || p.Spec.NodeName == "" {
		return question{}, false
	}
	return question{line: []string{"evict", p.Namespace + "/pod/" + p.Name}, steps: []step{{begin: func(b *fixture) error {
		return b.evictPod(p.Namespace, p.Name)
	}}}}, true
}

func (a *questionGenerator) deletePod() (question, bool) {
	p, some := a.pod()
	if !some {
		return question{}, false
	}
	return kubectl([]string{"delete", p.Namespace + "/pod/" + p.Name}, "delete", "pod", p.Name, "-n", p.Namespace, "--wait=false"), true
}

func (a *questionGenerator) grow() (question, bool) {
	o, some := a.object("DaemonSet")
	if !some {
		return question{}, false
	}
	to := pick(a.random, "200m", "400m", "900m", "20m", "2500m")
	return kubectl([]string{"grow", path(o), "--cpu", to}, "set", "resources", "daemonset", nameOf(o), "-n", namespaceOf(o), "--requests", "cpu="+to), true
}

// patched is a patch of an object, the same for both.
func patched(o manifest, patch any) question {
	data, err := json.Marshal(patch)
	if err != nil {
		panic(err)
	}
	return kubectl([]string{"patch", path(o), "-p", string(data)},
		"patch", strings.ToLower(o["kind"].(string)), nameOf(o), "-n", namespaceOf(o), "-p", string(data))
}

// pods is a patch of a workload's template.
func pods(template manifest) manifest { return manifest{"spec": manifest{"template": template}} }

func (a *questionGenerator) patchLittle() (question, bool) {
	o, some := a.object("Deployment", "StatefulSet", "DaemonSet")
	if !some {
		return question{}, false
	}
	a.number++
	value := fmt.Sprint("v", a.number)
	container := func(fields manifest) manifest {
		fields["name"] = "main"
		return pods(manifest{"spec": manifest{"containers": []any{fields}}})
	}
	return patched(o, pick(a.random,
		container(manifest{"image": "img:" + value}),
		container(manifest{"env": []any{manifest{"name": "VERSION", "value": value}}}),
		container(manifest{"args": []any{value}}),
		pods(manifest{"metadata": manifest{"annotations": manifest{"checksum/config": value}}}),
	)), true
}

func (a *questionGenerator) patchRequests() (question, bool) {
	o, some := a.object("Deployment", "StatefulSet")
	if !some {
		return question{}, false
	}
	wants := pick(a.random, "50m", "400m", "800m", "1500m", "3500m")
	if a.percent(30) {
		return patched(o, pods(manifest{"spec": manifest{"resources": manifest{"requests": manifest{"cpu": wants}}}})), true
	}
	return patched(o, pods(manifest{"spec": manifest{"containers": []any{manifest{"name": "main", "resources": manifest{"requests": manifest{"cpu": wants}}}}}})), true
}

func (a *questionGenerator) patchPlacement() (question, bool) {
	o, some := a.object("Deployment", "StatefulSet", "DaemonSet")
	if !some {
		return question{}, false
	}
	return patched(o, pods(manifest{"spec": pick(a.random,
		manifest{"priorityClassName": pick(a.random, "low", "mid", "high")},
		manifest{"nodeSelector": manifest{"pool": pick(a.random, "p0", "p1", "nowhere")}},
		manifest{"tolerations": []any{manifest{"operator": "Exists"}}},
		manifest{"runtimeClassName": pick(a.random, "heavy", "pinned", "missing")},
	)})), true
}

func (a *questionGenerator) patchPaused() (question, bool) {
	o, some := a.object("Deployment")
	if !some {
		return question{}, false
	}
	return patched(o, manifest{"spec": manifest{"paused": a.percent(60)}}), true
}

func (a *questionGenerator) patchJob() (question, bool) {
	o, some := a.object("Job")
	if !some {
		return question{}, false
	}
	return patched(o, manifest{"spec": pick(a.random, manifest{"suspend": true}, manifest{"suspend": false}, manifest{"parallelism": a.IntN(5)})}), true
}

func (a *questionGenerator) patchNode() (question, bool) {
	n, some := a.node(anyNode)
	if !some {
		return question{}, false
	}
	patch := fmt.Sprintf(`{"metadata":{"labels":{"pool":%q}}}`, pick(a.random, "p0", "p1"))
	return kubectl([]string{"patch", "node/" + n.Name, "-p", patch}, "patch", "node", n.Name, "-p", patch), true
}

// applied is a question about a file, and records what is applied from then on.
func (a *questionGenerator) applied(objects ...manifest) question {
	a.number++
	name := fmt.Sprintf("file%d.yaml", a.number)
	q := question{line: []string{"apply", "-f", name}, files: map[string]string{name: text(objects...)}}
	world := a.world
	q.steps = []step{{begin: func(b *fixture) error {
		if err := b.kubectl("apply", "-f", b.file(name)); err != nil {
			return err
		}
		for _, o := range objects {
			world.objects = slices.DeleteFunc(world.objects, func(old manifest) bool { return old["kind"] == o["kind"] && nameOf(old) == nameOf(o) })
			world.objects = append(world.objects, o)
		}
		return nil
	}}}
	return q
}

func (a *questionGenerator) generator() *generator {
	g := &generator{random: a.random, apps: map[string]string{}, limited: len(ofKind(a.world.objects, "ResourceQuota", "LimitRange")) > 0}
	for _, o := range ofKind(a.world.objects, "Deployment", "StatefulSet") {
		g.note(nameOf(o), namespaceOf(o))
	}
	return g
}

func (a *questionGenerator) applyNew() (question, bool) {
	a.number++
	if a.percent(12) {
		return a.applied(written(a.budgetOf())), true
	}
	return a.applied(a.generator().workload(100 + a.number)...), true
}

// budgetOf is a new PodDisruptionBudget for an app.
func (a *questionGenerator) budgetOf() runtime.Object {
	app, namespace := "none", plain
	if o, some := a.object("Deployment", "StatefulSet"); some {
		app, namespace = nameOf(o), namespaceOf(o)
	}
	return budgetFor(app, namespace, fmt.Sprint("budget", a.number), a.IntN(3))
}

// applyChanged applies again what was applied before, with something changed, removed or as it was.
func (a *questionGenerator) applyChanged() (question, bool) {
	o, some := a.object("Deployment", "StatefulSet", "DaemonSet")
	if !some {
		return question{}, false
	}
	o = runtime.DeepCopyJSON(o)
	spec := o["spec"].(manifest)
	pod := spec["template"].(manifest)["spec"].(manifest)
	main := pod["containers"].([]any)[0].(manifest)
	a.number++
	switch a.IntN(9) {
	case 0: // Nothing: what others changed stays where the manifest has nothing to say of it.
	case 1:
		main["image"] = fmt.Sprint("img:", a.number)
	case 2:
		main["env"] = []any{manifest{"name": "VERSION", "value": fmt.Sprint(a.number)}}
	case 3:
		main["resources"] = manifest{"requests": manifest{"cpu": pick(a.random, "100m", "600m", "1200m")}}
	case 4:
		delete(pod, "tolerations")
		delete(pod, "nodeSelector")
	case 5:
		delete(pod, "affinity")
		delete(pod, "topologySpreadConstraints")
		pod["tolerations"] = []any{manifest{"key": "dedicated", "operator": "Exists"}}
	case 6:
		if o["kind"] == "DaemonSet" {
			return question{}, false
		}
		spec["replicas"] = int64(a.IntN(7))
	case 7:
		if o["kind"] == "DaemonSet" {
			return question{}, false
		}
		delete(spec, "replicas")
		main["image"] = fmt.Sprint("img:", a.number)
	case 8:
		pod["priorityClassName"] = pick(a.random, "low", "mid", "high")
	}
	return a.applied(o), true
}

// applyRefused applies what the API server, or an admission of its, has something against.
func (a *questionGenerator) applyRefused() (question, bool) {
	a.number++
	g := a.generator()
	g.limited = false
	objects := g.deployment(fmt.Sprint("bad", 100+a.number), plain)
	o := objects[len(objects)-1]
	pod := o["spec"].(manifest)["template"].(manifest)["spec"].(manifest)
	main := pod["containers"].([]any)[0].(manifest)
	delete(pod, "runtimeClassName")
	switch a.IntN(7) {
	case 0:
		main["resources"] = manifest{"requests": manifest{"cpu": "900m"}, "limits": manifest{"cpu": "500m"}}
	case 1:
		pod["serviceAccountName"] = "missing"
	case 2:
		pod["runtimeClassName"] = "missing"
	case 3:
		o["metadata"].(manifest)["namespace"] = locked
	case 4:
		pod["priorityClassName"] = "missing"
	case 5:
		pod["volumes"] = []any{manifest{"name": "data", "emptyDir": manifest{}}}
		main["volumeMounts"] = []any{manifest{"name": "other", "mountPath": "/data"}}
	case 6:
		set, some := a.object("StatefulSet")
		if !some {
			return question{}, false
		}
		set = runtime.DeepCopyJSON(set)
		set["spec"].(manifest)["serviceName"] = "another"
		return a.applied(set), true
	}
	return a.applied(o), true
}

func finished(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// ownedByDaemonSet says whether a DaemonSet made the pod.
func ownedByDaemonSet(pod *corev1.Pod) bool {
	owner := metav1.GetControllerOf(pod)
	return owner != nil && owner.Kind == "DaemonSet"
}
