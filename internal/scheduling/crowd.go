package scheduling

import (
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// crowd is the pods that no rule about other pods can tell apart: they have their namespace, their labels, and their own
// rules in common. Whether a rule means one of them is asked once for all.
type crowd struct {
	member *framework.PodInfo      // any of them
	tastes []fwk.AffinityTerm      // their rules on affinity that bear on scores
	home   bool                    // their rules mean pods of the crowd's namespace only
	on     map[*slot][]fwk.PodInfo // where they stand; a list in it does not change
	// budgets protect them, as of some state of the guards' selectors, if that was asked.
	budgets []*policyv1.PodDisruptionBudget
	asked   bool
	asOf    int
	// mark is the last look that saw this crowd.
	mark int
}

// crowds are all there ever were; one that nobody belongs to any more stands nowhere.
type crowds struct {
	journal     *journal
	byKey       map[string]*crowd
	byNamespace map[string][]*crowd
	byLabel     map[string][]*crowd // by namespace, label and value
	ruled       []*crowd            // with rules of their own
	all         []*crowd
	// byOwner is the crowd of the last pod with that controller: most often the next one's too.
	byOwner map[types.UID]*crowd
	key     []byte
}

func newCrowds(j *journal) crowds {
	return crowds{journal: j, byKey: map[string]*crowd{}, byNamespace: map[string][]*crowd{}, byLabel: map[string][]*crowd{}, byOwner: map[types.UID]*crowd{}}
}

func (c *crowds) of(pod *corev1.Pod) *crowd {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner != nil {
		if last := c.byOwner[owner.UID]; last != nil && last.takes(pod) {
			return last
		}
	}
	c.key = appendIdentity(c.key[:0], pod)
	its := c.byKey[string(c.key)]
	if its == nil {
		its = &crowd{member: podInfo(pod), on: map[*slot][]fwk.PodInfo{}}
		its.tastes = tastesOf(its.member)
		its.home = homely(termsOf(its.member), pod.Namespace)
		c.byKey[string(c.key)] = its
		c.all = append(c.all, its)
		c.byNamespace[pod.Namespace] = append(c.byNamespace[pod.Namespace], its)
		for name, value := range pod.Labels {
			key := labelKey(pod.Namespace, name, value)
			c.byLabel[key] = append(c.byLabel[key], its)
		}
		if rulesOf(pod) != nil {
			c.ruled = append(c.ruled, its)
		}
	}
	if owner != nil {
		c.byOwner[owner.UID] = its
	}
	return its
}

// admit is the pod as plugins see it, with what it has in common with another member taken from that one: working out what
// a pod asks for is most of the work of putting it on a node.
func (c *crowd) admit(pod *corev1.Pod) *framework.PodInfo {
	if !sameRequests(&c.member.Pod.Spec, &pod.Spec) {
		return podInfo(pod)
	}
	info := *c.member
	info.Pod = pod
	return &info
}

// podInfo leaves out the selectors that the API server would refuse, as the scheduler does.
func podInfo(pod *corev1.Pod) *framework.PodInfo {
	info, _ := framework.NewPodInfo(pod)
	info.CalculateResource() // it remembers
	return info
}

// sameRequests says whether two pods share what their resources are worked out from. Objects do not change, so that what
// is shared is the same; pods that only look alike do not count.
func sameRequests(a, b *corev1.PodSpec) bool {
	if len(a.InitContainers) > 0 || len(b.InitContainers) > 0 || len(a.Containers) != len(b.Containers) ||
		a.Resources != nil || b.Resources != nil || a.Overhead != nil || b.Overhead != nil {
		return false
	}
	for i := range a.Containers {
		if reflect.ValueOf(a.Containers[i].Resources.Requests).Pointer() != reflect.ValueOf(b.Containers[i].Resources.Requests).Pointer() {
			return false
		}
	}
	return true
}

// takes says whether a pod is one of them.
func (c *crowd) takes(pod *corev1.Pod) bool {
	member := c.member.Pod
	if member.Namespace != pod.Namespace || !maps.Equal(member.Labels, pod.Labels) {
		return false
	}
	theirs, its := rulesOf(member), rulesOf(pod)
	return theirs == nil && its == nil || equality.Semantic.DeepEqual(theirs, its)
}

// come and leave tell that a pod has come to a node, or left it.

func (c *crowds) come(its *crowd, pod fwk.PodInfo, to *slot) {
	c.set(its, to, append(slices.Clip(its.on[to]), pod))
}

func (c *crowds) leave(its *crowd, pod fwk.PodInfo, from *slot) {
	c.set(its, from, slices.DeleteFunc(slices.Clone(its.on[from]), func(p fwk.PodInfo) bool { return p == pod }))
}

func (c *crowds) set(its *crowd, at *slot, pods []fwk.PodInfo) {
	before := its.on[at]
	its.set(at, pods)
	c.journal.did(func() { its.set(at, before) })
}

func (c *crowd) set(at *slot, pods []fwk.PodInfo) {
	if len(pods) == 0 {
		delete(c.on, at)
	} else {
		c.on[at] = pods
	}
}

// rulesOf is what a pod says about other pods, nil if nothing.
func rulesOf(pod *corev1.Pod) *corev1.Affinity {
	if a := pod.Spec.Affinity; a != nil && (a.PodAffinity != nil || a.PodAntiAffinity != nil) {
		return &corev1.Affinity{PodAffinity: a.PodAffinity, PodAntiAffinity: a.PodAntiAffinity}
	}
	return nil
}

// appendIdentity writes what makes a pod one of its crowd.
func appendIdentity(key []byte, pod *corev1.Pod) []byte {
	key = appendText(key, pod.Namespace)
	key = appendLabels(key, pod.Labels)
	if rules := rulesOf(pod); rules != nil {
		key = appendMessage(key, rules)
	}
	return key
}

func appendLabels(key []byte, labels map[string]string) []byte {
	const several = 16
	names := slices.AppendSeq(make([]string, 0, several), maps.Keys(labels))
	slices.Sort(names)
	for _, name := range names {
		key = appendText(appendText(key, name), labels[name])
	}
	return append(key, 1)
}

// appendText ends with a byte that no name or label holds.
func appendText(key []byte, text string) []byte { return append(append(key, text...), 0) }

// appendMessage writes an API object in the API's storage encoding, in which equal objects are equal bytes.
func appendMessage(key []byte, m encodable) []byte {
	size := m.Size()
	key = slices.Grow(key, size)[:len(key)+size]
	if _, err := m.MarshalToSizedBuffer(key[len(key)-size:]); err != nil { // the encoding fails for no object of these types
		panic(err)
	}
	return key
}

// encodable are the API's objects.
type encodable interface {
	Size() int
	MarshalToSizedBuffer(buffer []byte) (int, error)
}
