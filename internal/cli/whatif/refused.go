package whatif

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/admission"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// refused is a manifest that can be read and that the API server would not take.
type refused struct{ problem message.Sentence }

func (r refused) Error() string { return message.English().Say(r.problem) }

// acceptable is an error if an object that can be read has no name.
func acceptable(object runtime.Object) error {
	if one, ok := object.(metav1.Object); ok && one.GetName() == "" {
		return refused{sentence.ErrFieldMissing("metadata.name")} // kubectl applies no generateName either.
	}
	return nil
}

// contrary is bad input if an object names a namespace other than the one that --namespace gives: kubectl refuses it.
func (o *Options) contrary(objects []runtime.Object) error {
	if o.Config == nil {
		return nil
	}
	given, explicit, err := o.Config.ToRawKubeConfigLoader().Namespace()
	if err != nil || !explicit {
		return nil //nolint:nilerr // Without a configuration there is no flag that anything could contradict.
	}
	for _, object := range objects {
		one, ok := object.(metav1.Object)
		if ok && one.GetNamespace() != "" && one.GetNamespace() != given {
			return exit.BadInput(refOf(object).String(), sentence.ErrOtherNamespace(one.GetNamespace(), given),
				sentence.ErrOtherNamespaceRemedy(one.GetNamespace()))
		}
	}
	return nil
}

// invalid is bad input if the API server would not take an object that is not in the world yet. What is changed is looked at
// once it is known what becomes of it.
func invalid(objects []runtime.Object, world *cluster.Snapshot) error {
	for _, object := range objects {
		one, ok := object.(metav1.Object)
		if !ok {
			continue
		}
		if kind, held := cluster.KindOf(one); held && world.Object(kind, one.GetNamespace(), one.GetName()) != nil {
			continue
		}
		if err := admission.Validate(object, nil); err != nil {
			return refusal(refOf(object), err)
		}
	}
	return nil
}

// refusal is bad input that the API server refuses, in its words.
func refusal(ref change.Ref, err error) error {
	return exit.BadInput(ref.String(), sentence.ErrRefused(err.Error()), sentence.ErrManifestRefused())
}

// refOf names an object.
func refOf(object runtime.Object) change.Ref {
	kind := object.GetObjectKind().GroupVersionKind().Kind
	one, ok := object.(metav1.Object)
	if !ok {
		return change.Ref{Kind: kind}
	}
	if held, is := cluster.KindOf(one); is {
		kind = string(held)
	}
	return change.Ref{Kind: kind, Namespace: one.GetNamespace(), Name: one.GetName()}
}
