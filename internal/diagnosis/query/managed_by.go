package query

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// redirectToManager removes the command from a remedy that changes an object which its controller would revert, and says where to
// change it instead. If another program reverts changes only at times, the remedy keeps its command and names the risk.
func (q Query) redirectToManager(w ProposedRemedy) ProposedRemedy {
	switch w.Change.(type) {
	case change.Patch, change.ScaleWorkload, change.GrowDaemonSet:
	default:
		return w
	}
	ref := w.Change.Subject()
	object := q.World.Object(cluster.Kind(ref.Kind), ref.Namespace, ref.Name)
	if object == nil {
		return w
	}
	if owner := metav1.GetControllerOfNoCopy(object); owner != nil {
		by := change.Ref{Kind: owner.Kind, Name: owner.Name}
		w.Command, w.Message = "", message.Sequence(w.Message, sentence.MadeElsewhere(by, ref))
		return w
	}
	if by := managerOf(object); by != "" {
		w.Risk = message.Sequence(w.Risk, sentence.KeptElsewhere(by, ref))
	}
	return w
}

// managerOf is the program that reconciles an object with an external source; empty if none is known.
//
// Sources: Argo CD, "Resource Tracking"; Flux, "Kustomization" and "HelmRelease", for their labels; kubernetes/kubernetes,
// cluster/addons/addon-manager.
func managerOf(object metav1.Object) string {
	labels, annotations := object.GetLabels(), object.GetAnnotations()
	switch {
	case annotations["argocd.argoproj.io/tracking-id"] != "", labels["argocd.argoproj.io/instance"] != "":
		return "Argo CD"
	case labels["kustomize.toolkit.fluxcd.io/name"] != "", labels["helm.toolkit.fluxcd.io/name"] != "":
		return "Flux"
	case labels["addonmanager.kubernetes.io/mode"] == "Reconcile":
		return "addon-manager"
	default:
		return ""
	}
}
