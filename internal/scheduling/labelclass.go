package scheduling

import (
	"maps"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// labelClass is the pods that no selector or affinity term of other pods can tell apart: they have the namespace, the labels, and
// their own affinity terms in common. A selector is matched once for all of them.
type labelClass struct {
	member           *framework.PodInfo           // any of them
	scoringTerms     []fwk.AffinityTerm           // their terms that score nodes for other pods
	ownNamespaceOnly bool                         // their terms select pods of their namespace only
	podsByNode       map[*nodeEntry][]fwk.PodInfo // a list in it does not change
	// budgets protect them, as of some version of the budgets' selectors, if that was asked.
	budgets []*policyv1.PodDisruptionBudget
	asked   bool
	asOf    int
	// visited is the generation in which this class was last visited.
	visited int
}

// labelClasses are all that there ever were; one that no pod belongs to any more is on no node.
type labelClasses struct {
	journal     *journal
	byKey       map[string]*labelClass
	byNamespace map[string][]*labelClass
	byLabel     map[string][]*labelClass // by namespace, label and value
	withTerms   []*labelClass            // with terms of their own
	all         []*labelClass
	// byOwner is the class of the last pod with that controller: most often the next one's too.
	byOwner map[types.UID]*labelClass
	key     []byte
}

func newLabelClasses(j *journal) labelClasses {
	return labelClasses{journal: j, byKey: map[string]*labelClass{}, byNamespace: map[string][]*labelClass{}, byLabel: map[string][]*labelClass{}, byOwner: map[types.UID]*labelClass{}}
}

func (c *labelClasses) of(pod *corev1.Pod) *labelClass {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner != nil {
		if last := c.byOwner[owner.UID]; last != nil && last.contains(pod) {
			return last
		}
	}
	c.key = appendIdentity(c.key[:0], pod)
	its := c.byKey[string(c.key)]
	if its == nil {
		its = &labelClass{member: podInfo(pod), podsByNode: map[*nodeEntry][]fwk.PodInfo{}}
		its.scoringTerms = scoringTermsOf(its.member)
		its.ownNamespaceOnly = ownNamespaceOnly(termsOf(its.member), pod.Namespace)
		c.byKey[string(c.key)] = its
		c.all = append(c.all, its)
		c.byNamespace[pod.Namespace] = append(c.byNamespace[pod.Namespace], its)
		for name, value := range pod.Labels {
			key := labelKey(pod.Namespace, name, value)
			c.byLabel[key] = append(c.byLabel[key], its)
		}
		if podAffinityOf(pod) != nil {
			c.withTerms = append(c.withTerms, its)
		}
	}
	if owner != nil {
		c.byOwner[owner.UID] = its
	}
	return its
}

// podInfoOf is the pod as plugins see it, with what it has in common with another member taken from that one: computing its
// requests is most of the work of adding a pod to a node.
func (c *labelClass) podInfoOf(pod *corev1.Pod) *framework.PodInfo {
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
	info.CalculateResource() // it is kept in info
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

// contains says whether a pod is one of them.
func (c *labelClass) contains(pod *corev1.Pod) bool {
	member := c.member.Pod
	if member.Namespace != pod.Namespace || !maps.Equal(member.Labels, pod.Labels) {
		return false
	}
	theirs, its := podAffinityOf(member), podAffinityOf(pod)
	return theirs == nil && its == nil || equality.Semantic.DeepEqual(theirs, its)
}

// add and remove tell that a pod was bound to a node, or is no longer.

func (c *labelClasses) add(its *labelClass, pod fwk.PodInfo, to *nodeEntry) {
	c.set(its, to, append(slices.Clip(its.podsByNode[to]), pod))
}

func (c *labelClasses) remove(its *labelClass, pod fwk.PodInfo, from *nodeEntry) {
	c.set(its, from, slices.DeleteFunc(slices.Clone(its.podsByNode[from]), func(p fwk.PodInfo) bool { return p == pod }))
}

func (c *labelClasses) set(its *labelClass, at *nodeEntry, pods []fwk.PodInfo) {
	before := its.podsByNode[at]
	its.set(at, pods)
	c.journal.did(func() { its.set(at, before) })
}

func (c *labelClass) set(at *nodeEntry, pods []fwk.PodInfo) {
	if len(pods) == 0 {
		delete(c.podsByNode, at)
	} else {
		c.podsByNode[at] = pods
	}
}

// termsOf are all of a pod's affinity and anti-affinity terms.
func termsOf(pod *framework.PodInfo) []fwk.AffinityTerm {
	if podAffinityOf(pod.Pod) == nil {
		return nil
	}
	return append(scoringTermsOf(pod), pod.RequiredAntiAffinityTerms...)
}

// scoringTermsOf are a pod's terms by which InterPodAffinity scores nodes for other pods: required anti-affinity only refuses
// (pkg/scheduler/framework/plugins/interpodaffinity/scoring.go).
func scoringTermsOf(pod *framework.PodInfo) []fwk.AffinityTerm {
	all := slices.Clone(pod.RequiredAffinityTerms)
	for _, weighted := range append(slices.Clip(pod.PreferredAffinityTerms), pod.PreferredAntiAffinityTerms...) {
		all = append(all, weighted.AffinityTerm)
	}
	return all
}

// ownNamespaceOnly says that terms select pods of one namespace only.
func ownNamespaceOnly(terms []fwk.AffinityTerm, namespace string) bool {
	return !anyTerm(terms, func(t *fwk.AffinityTerm) bool {
		return len(t.Namespaces) != 1 || !t.Namespaces.Has(namespace) || t.NamespaceSelector != labels.Nothing()
	})
}

func anyTerm(terms []fwk.AffinityTerm, is func(*fwk.AffinityTerm) bool) bool {
	for i := range terms {
		if is(&terms[i]) {
			return true
		}
	}
	return false
}

// podAffinityOf are a pod's affinity and anti-affinity to other pods, nil if it has none.
func podAffinityOf(pod *corev1.Pod) *corev1.Affinity {
	if a := pod.Spec.Affinity; a != nil && (a.PodAffinity != nil || a.PodAntiAffinity != nil) {
		return &corev1.Affinity{PodAffinity: a.PodAffinity, PodAntiAffinity: a.PodAntiAffinity}
	}
	return nil
}

// appendIdentity writes what makes a pod one of its label class.
func appendIdentity(key []byte, pod *corev1.Pod) []byte {
	key = appendText(key, pod.Namespace)
	key = appendLabels(key, pod.Labels)
	if rules := podAffinityOf(pod); rules != nil {
		key = appendMessage(key, rules)
	}
	return key
}
