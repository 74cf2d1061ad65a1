package store

import (
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework"

	"github.com/naosu-dev/naosu/internal/scheduling/internal/mapkey"
)

// LabelClass is the pods that no selector or affinity term of other pods can tell apart: they have the namespace, the labels, and
// their own affinity terms in common. A selector is matched once for all of them.
type LabelClass struct {
	Member           *framework.PodInfo      // any of them
	ScoringTerms     []fwk.AffinityTerm      // their terms that score nodes for other pods
	OwnNamespaceOnly bool                    // their terms select pods of their namespace only
	PodsByNode       map[*Node][]fwk.PodInfo // a list in it does not change
	// Visited is the generation in which package fast last visited this class.
	Visited int
}

// LabelClasses are all that there ever were; one that no pod belongs to any more is on no node.
type LabelClasses struct {
	journal     *journal
	byKey       map[string]*LabelClass
	ByNamespace map[string][]*LabelClass
	WithTerms   []*LabelClass // with terms of their own
	All         []*LabelClass
	key         []byte
}

func newLabelClasses(j *journal) LabelClasses {
	return LabelClasses{journal: j, byKey: map[string]*LabelClass{}, ByNamespace: map[string][]*LabelClass{}}
}

func (c *LabelClasses) of(pod *corev1.Pod) *LabelClass {
	c.key = appendIdentity(c.key[:0], pod)
	its := c.byKey[string(c.key)]
	if its == nil {
		its = &LabelClass{Member: podInfo(pod), PodsByNode: map[*Node][]fwk.PodInfo{}}
		its.ScoringTerms = scoringTermsOf(its.Member)
		its.OwnNamespaceOnly = OwnNamespaceOnly(TermsOf(its.Member), pod.Namespace)
		c.byKey[string(c.key)] = its
		c.All = append(c.All, its)
		c.ByNamespace[pod.Namespace] = append(c.ByNamespace[pod.Namespace], its)
		if podAffinityOf(pod) != nil {
			c.WithTerms = append(c.WithTerms, its)
		}
	}
	return its
}

// podInfoOf is the pod as plugins see it, with what it has in common with another member taken from that one: computing its
// requests is most of the work of adding a pod to a node.
func (c *LabelClass) podInfoOf(pod *corev1.Pod) *framework.PodInfo {
	if !sameRequests(&c.Member.Pod.Spec, &pod.Spec) {
		return podInfo(pod)
	}
	info := *c.Member
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

// add and remove tell that a pod was bound to a node, or is no longer.

func (c *LabelClasses) add(its *LabelClass, pod fwk.PodInfo, to *Node) {
	c.set(its, to, append(slices.Clip(its.PodsByNode[to]), pod))
}

func (c *LabelClasses) remove(its *LabelClass, pod fwk.PodInfo, from *Node) {
	c.set(its, from, slices.DeleteFunc(slices.Clone(its.PodsByNode[from]), func(p fwk.PodInfo) bool { return p == pod }))
}

func (c *LabelClasses) set(its *LabelClass, at *Node, pods []fwk.PodInfo) {
	before := its.PodsByNode[at]
	its.set(at, pods)
	c.journal.did(func() { its.set(at, before) })
}

func (c *LabelClass) set(at *Node, pods []fwk.PodInfo) {
	if len(pods) == 0 {
		delete(c.PodsByNode, at)
	} else {
		c.PodsByNode[at] = pods
	}
}

// TermsOf are all of a pod's affinity and anti-affinity terms.
func TermsOf(pod *framework.PodInfo) []fwk.AffinityTerm {
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

// OwnNamespaceOnly says that terms select pods of one namespace only.
func OwnNamespaceOnly(terms []fwk.AffinityTerm, namespace string) bool {
	return !AnyTerm(terms, func(t *fwk.AffinityTerm) bool {
		return len(t.Namespaces) != 1 || !t.Namespaces.Has(namespace) || t.NamespaceSelector != labels.Nothing()
	})
}

// AnyTerm says that something is so of one of the terms.
func AnyTerm(terms []fwk.AffinityTerm, is func(*fwk.AffinityTerm) bool) bool {
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
	key = mapkey.AppendText(key, pod.Namespace)
	key = mapkey.AppendLabels(key, pod.Labels)
	if rules := podAffinityOf(pod); rules != nil {
		key = mapkey.AppendMessage(key, rules)
	}
	return key
}
