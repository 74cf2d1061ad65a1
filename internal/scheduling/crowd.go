package scheduling

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// crowd is the pods that no rule about other pods can tell apart: they have their namespace, their labels, and their own
// rules in common. Whether a rule means one of them is asked once for all.
type crowd struct {
	member *framework.PodInfo // any of them
	on     map[*slot]int      // how many stand where
}

// crowds are all there ever were; one that nobody belongs to any more stands nowhere.
type crowds struct {
	journal *journal
	all     []*crowd
	byKey   map[string]*crowd
	// byOwner is the crowd of the last pod with that controller: most often the next one's too.
	byOwner map[types.UID]*crowd
	key     []byte
}

func newCrowds(j *journal) crowds {
	return crowds{journal: j, byKey: map[string]*crowd{}, byOwner: map[types.UID]*crowd{}}
}

func (c *crowds) of(pod *framework.PodInfo) *crowd {
	owner := metav1.GetControllerOfNoCopy(pod.Pod)
	if owner != nil {
		if last := c.byOwner[owner.UID]; last != nil && last.takes(pod.Pod) {
			return last
		}
	}
	c.key = appendIdentity(c.key[:0], pod.Pod)
	its := c.byKey[string(c.key)]
	if its == nil {
		its = &crowd{member: pod, on: map[*slot]int{}}
		c.byKey[string(c.key)] = its
		c.all = append(c.all, its)
	}
	if owner != nil {
		c.byOwner[owner.UID] = its
	}
	return its
}

// takes says whether a pod is one of them.
func (c *crowd) takes(pod *corev1.Pod) bool {
	member := c.member.Pod
	return member.Namespace == pod.Namespace && maps.Equal(member.Labels, pod.Labels) &&
		equality.Semantic.DeepEqual(rulesOf(member), rulesOf(pod))
}

// move counts pods that have come to a node or left it.
func (c *crowds) move(its *crowd, to *slot, by int) {
	its.move(to, by)
	c.journal.did(func() { its.move(to, -by) })
}

func (c *crowd) move(to *slot, by int) {
	if c.on[to] += by; c.on[to] == 0 {
		delete(c.on, to)
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
	for _, name := range slices.Sorted(maps.Keys(labels)) {
		key = appendText(appendText(key, name), labels[name])
	}
	return append(key, 1)
}

// appendText ends with a byte that no name or label holds.
func appendText(key []byte, text string) []byte { return append(append(key, text...), 0) }

// appendMessage writes an API object in the API's storage encoding, in which equal objects are equal bytes.
func appendMessage(key []byte, m interface{ Marshal() ([]byte, error) }) []byte {
	data, err := m.Marshal()
	if err != nil { // the encoding fails for no object of these types
		panic(err)
	}
	return append(key, data...)
}
