// Package controller is naosu's controller as a process: one manager, one watch of the cluster, one lease, and a
// package for each concern, which gathers facts, decides in pure functions, and hands to package action.
package controller

// What the process itself needs besides its concerns: the watch reads every kind that bears on where pods can run.
//
// +kubebuilder:rbac:groups="",resources=nodes;pods;namespaces;persistentvolumeclaims;persistentvolumes;services;resourcequotas;limitranges;replicationcontrollers,verbs=list;watch
// +kubebuilder:rbac:groups=apps,resources=deployments;replicasets;statefulsets;daemonsets,verbs=list;watch
// +kubebuilder:rbac:groups=batch,resources=jobs;cronjobs,verbs=list;watch
// +kubebuilder:rbac:groups=node.k8s.io,resources=runtimeclasses,verbs=list;watch
// +kubebuilder:rbac:groups=policy,resources=poddisruptionbudgets,verbs=list;watch
// +kubebuilder:rbac:groups=scheduling.k8s.io,resources=priorityclasses,verbs=list;watch
// +kubebuilder:rbac:groups=storage.k8s.io,resources=storageclasses;volumeattachments;csinodes;csidrivers;csistoragecapacities,verbs=list;watch
// +kubebuilder:rbac:groups=resource.k8s.io,resources=resourceclaims;resourceslices;deviceclasses,verbs=list;watch
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=kube-node-lease,resources=leases,verbs=list;watch
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=naosu-system,resources=leases,verbs=create
// +kubebuilder:rbac:groups=coordination.k8s.io,namespace=naosu-system,resources=leases,resourceNames=naosu-controller,verbs=get;update
