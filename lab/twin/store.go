package twin

import (
	"bytes"
	"fmt"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/client-go/kubernetes/scheme"
)

// resources are where in etcd the API server keeps the kinds that a twin has: below /registry, by the resource's name but
// for a few old ones.
//
// Source: k8s.io/kubernetes/pkg/kubeapiserver, SpecialDefaultResourcePrefixes.
var resources = map[schema.GroupKind]string{
	{Kind: "Node"}:                  "minions",
	{Kind: "Pod"}:                   "pods",
	{Kind: "Namespace"}:             "namespaces",
	{Kind: "Event"}:                 "events",
	{Kind: "Service"}:               "services/specs",
	{Kind: "ServiceAccount"}:        "serviceaccounts",
	{Kind: "ConfigMap"}:             "configmaps",
	{Kind: "ResourceQuota"}:         "resourcequotas",
	{Kind: "LimitRange"}:            "limitranges",
	{Kind: "ReplicationController"}: "controllers",
	{Kind: "PersistentVolume"}:      "persistentvolumes",
	{Kind: "PersistentVolumeClaim"}: "persistentvolumeclaims",

	{Group: "apps", Kind: "Deployment"}:         "deployments",
	{Group: "apps", Kind: "ReplicaSet"}:         "replicasets",
	{Group: "apps", Kind: "StatefulSet"}:        "statefulsets",
	{Group: "apps", Kind: "DaemonSet"}:          "daemonsets",
	{Group: "apps", Kind: "ControllerRevision"}: "controllerrevisions",
	{Group: "batch", Kind: "Job"}:               "jobs",
	{Group: "batch", Kind: "CronJob"}:           "cronjobs",

	{Group: "coordination.k8s.io", Kind: "Lease"}: "leases",
	{Group: "node.k8s.io", Kind: "RuntimeClass"}:  "runtimeclasses",

	{Group: "policy", Kind: "PodDisruptionBudget"}:      "poddisruptionbudgets",
	{Group: "scheduling.k8s.io", Kind: "PriorityClass"}: "priorityclasses",
	{Group: "storage.k8s.io", Kind: "StorageClass"}:     "storageclasses",

	{Group: "storage.k8s.io", Kind: "VolumeAttachment"}:   "volumeattachments",
	{Group: "storage.k8s.io", Kind: "CSINode"}:            "csinodes",
	{Group: "storage.k8s.io", Kind: "CSIDriver"}:          "csidrivers",
	{Group: "storage.k8s.io", Kind: "CSIStorageCapacity"}: "csistoragecapacities",

	{Group: "resource.k8s.io", Kind: "ResourceClaim"}: "resourceclaims",
	{Group: "resource.k8s.io", Kind: "ResourceSlice"}: "resourceslices",
	{Group: "resource.k8s.io", Kind: "DeviceClass"}:   "deviceclasses",
}

// storage encodes as the API server does for etcd: protobuf, in an envelope that begins with "k8s" and a zero.
var storage = protobuf.NewSerializer(scheme.Scheme, scheme.Scheme)

// fill puts every object where the API server looks for it, and frees them: a lab lives long, and a large cluster's
// objects are in it already.
func (c *contents) fill(put func(key string, value []byte) error) error {
	defer func() { c.objects, c.uids = nil, nil }()
	var encoded bytes.Buffer
	for _, o := range c.objects {
		encoded.Reset()
		// What etcd adds and what only an API server's client sees are not stored.
		o.SetResourceVersion("")
		if err := storage.Encode(o, &encoded); err != nil {
			return fmt.Errorf("encoding %s: %w", nameOf(o), err)
		}
		if err := put(key(o), bytes.Clone(encoded.Bytes())); err != nil {
			return err
		}
	}
	return nil
}

func key(o object) string {
	key := "/registry/" + resources[o.GetObjectKind().GroupVersionKind().GroupKind()]
	if o.GetNamespace() != "" {
		key += "/" + o.GetNamespace()
	}
	return key + "/" + o.GetName()
}

// nameOf is how a message calls an object.
func nameOf(o object) string {
	name := o.GetObjectKind().GroupVersionKind().Kind + " " + o.GetName()
	if o.GetNamespace() != "" {
		name += " in " + o.GetNamespace()
	}
	return name
}
