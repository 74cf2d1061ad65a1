package facts

import (
	"context"
	"errors"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/own"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/discover"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/internal/repaircheck"
)

// reader reads from a cluster. Only nodes must be readable; what else is not makes a gap.
type reader struct {
	ctx context.Context // It lives as long as one reading.
	connect.Objects
	f *Facts
	// known is what was read before; nil if nothing was.
	known *cluster.Snapshot
}

func (r reader) miss(about string, why message.Sentence) {
	r.f.unread = append(r.f.unread, gap{about, why})
}

func unreadable(what string, err error) message.Sentence {
	return sentence.CheckUnread(what, err.Error())
}

// world reads the nodes and who reports on them.
func (r reader) world() error {
	var nodes corev1.NodeList
	if err := r.List(r.ctx, &nodes); err != nil {
		return exit.Talking(r.Host, err)
	}
	for i := range nodes.Items {
		r.f.Nodes = append(r.f.Nodes, &nodes.Items[i])
	}
	r.f.group()
	var sets appsv1.DaemonSetList
	if err := r.List(r.ctx, &sets); err != nil {
		r.miss(string(cluster.DaemonSet), unreadable("DaemonSets", err))
	}
	for i := range sets.Items {
		r.agent(&sets.Items[i])
	}
	return nil
}

// rest reads what is in no world.
func (r reader) rest() {
	r.ours()
	if len(r.f.Policies) > 0 { // Without, nothing is counted and nobody leads.
		r.ledger()
		r.lease()
	}
	r.repairers()
}

// agent notes an agent; of naosu's, also how it is configured and which image it runs where.
func (r reader) agent(set *appsv1.DaemonSet) {
	if agent, known := r.f.seen(set); known && agent == repaircheck.Naosu {
		r.configuration(set)
		r.images(set)
	}
}

// configuration reads which severities differ from the catalogue's, and which reasons are added to it.
func (r reader) configuration(set *appsv1.DaemonSet) {
	for _, volume := range set.Spec.Template.Spec.Volumes {
		if volume.ConfigMap == nil {
			continue
		}
		var stored corev1.ConfigMap
		key := client.ObjectKey{Namespace: set.Namespace, Name: volume.ConfigMap.Name}
		if err := r.Get(r.ctx, key, &stored); err != nil {
			r.miss("configmap/"+key.Name, sentence.CheckConfigUnread(key.String(), err.Error()))
			continue
		}
		for _, name := range slices.Sorted(maps.Keys(stored.Data)) {
			if err := r.f.configure(name, stored.Data[name]); err != nil {
				r.miss("configmap/"+key.Name, sentence.CheckConfigUnread(key.String(), err.Error()))
			}
		}
	}
}

func (r reader) images(set *appsv1.DaemonSet) {
	pods, err := r.podsOf(set)
	if err != nil {
		r.miss(string(cluster.Pod), unreadable("pods of "+set.Namespace+"/"+set.Name, err))
		return
	}
	r.f.AgentImages = map[string]string{}
	for _, pod := range pods {
		r.f.AgentImages[pod.Spec.NodeName] = ImageOf(pod)
	}
}

func (r reader) podsOf(set *appsv1.DaemonSet) ([]*corev1.Pod, error) {
	if r.known != nil {
		return r.known.PodsOf(set.UID), nil
	}
	var list corev1.PodList
	if err := r.List(r.ctx, &list, client.InNamespace(set.Namespace), client.MatchingLabels(set.Spec.Selector.MatchLabels)); err != nil {
		return nil, err
	}
	pods := make([]*corev1.Pod, len(list.Items))
	for i := range list.Items {
		pods[i] = &list.Items[i]
	}
	return pods, nil
}

// ImageOf is what a pod's first container runs: by digest once it runs.
func ImageOf(pod *corev1.Pod) string {
	if len(pod.Status.ContainerStatuses) > 0 && pod.Status.ContainerStatuses[0].ImageID != "" {
		return pod.Status.ContainerStatuses[0].ImageID
	}
	return pod.Spec.Containers[0].Image
}

// ours reads policies and Remediations. Where the kinds are not there, there are none of them.
func (r reader) ours() {
	all, err := own.List(r.ctx, r)
	r.f.Policies, r.f.Remediations = all.Policies, all.Remediations
	switch {
	case err == nil:
	case own.Absent(err):
		r.f.Absent = true
	default:
		r.f.Own = sentence.ProofOwnUnread(err.Error())
		r.miss(v1alpha1.GroupVersion.Group, r.f.Own)
	}
}

func (r reader) ledger() {
	records := record.Records{Client: r, Reader: r}
	read, err := records.ReadLedger(r.ctx)
	if err != nil {
		r.miss("configmap/"+record.LedgerName, unreadable("configmap/"+record.LedgerName, err))
		r.f.LedgerUnread, r.f.LedgerDamaged = err, errors.Is(err, record.ErrDamaged)
		return
	}
	r.f.Ledger = &read.Ledger
}

func (r reader) lease() {
	var lease coordinationv1.Lease
	switch err := r.Get(r.ctx, client.ObjectKey{Namespace: record.DefaultNamespace, Name: record.LeaseName}, &lease); {
	case apierrors.IsNotFound(err):
	case err != nil:
		r.f.LeaseUnread = sentence.ProofLeaseUnread(err.Error())
	default:
		r.f.Lease = &lease
	}
}

// repairers asks those who run machines who else repairs them.
func (r reader) repairers() {
	providers, gaps := discover.Discover(r.ctx, discover.Options{Client: r})
	r.f.Gaps = gaps
	found, failed := providers.Repairers(r.ctx, r.f.Nodes)
	r.f.Repairers = found
	for _, one := range failed {
		r.f.Gaps = append(r.f.Gaps, cloud.Gap{Provider: one.Provider, Why: sentence.CloudUnread(one.Provider, one.Err.Error())})
	}
}
