// Package controlplane runs the real etcd, kube-apiserver, kube-controller-manager and kube-scheduler, as a managed
// cluster has them: TLS with an authority of its own, client certificates and service account tokens, RBAC, the default
// admission plugins and controllers, a cloud controller manager expected from outside. There are no nodes.
//
// # What one process may hold
//
// Kubernetes' components were each written to have a process to themselves. Run together, in a process with a caller in
// it, this holds (package tests make each of it happen):
//
//   - One plane at a time. Controller managers register names that must be unique in a process, and some flags are global
//     variables. A second [Start] while a plane runs is an error. One after the other is fine.
//   - One set of feature gates, that of the first plane. Gates are global and others depend on them once set. A [Start]
//     with different ones is an error.
//   - What a component does to end its process (klog.Fatal, etcd's fatal log) ends the plane instead, with an error; the
//     caller lives. If then something could not be stopped, the process cannot run another plane, and says so. The data
//     folder stays locked until the process ends.
//   - Damaged data are an error, for they are read through before etcd, which would panic over them, sees them. An
//     out-of-range access or a nil pointer in Kubernetes' code still is a panic like any other, and ends the process.
//   - klog, which has one output in a process, writes to the plane's log, and to nothing after it. So does the etcd client.
//
// [StartChild] has none of these limits, and costs a process: any number of planes, any gates, and nothing that happens
// in them harms the caller. Its program must call [MaybeRunChild] first thing.
//
// # What differs from a plane set up by hand
//
//   - The controller manager and the scheduler may send 1000 requests a second (burst 2000) instead of 20 and 50. At the
//     standard limits, ten thousand pods take more than three minutes to be bound, on any machine.
//   - The controller manager, the scheduler and etcd serve no port; their metrics are in the API server's /metrics, since
//     the registry is the process's. etcd listens on a socket in a private folder, and does not wait for the disk: data
//     survive the death of the process, and perhaps not that of the machine.
//   - Leader election is off. Event lifetime is an hour at every pace.
//   - The API server ends its requests and watches within about a second when it stops, instead of waiting a minute.
//   - In the endpoints of the kubernetes service stands BindAddress if others can reach it, else an address reserved for
//     documentation: loopback addresses are not allowed there.
//
// # Files
//
// A data folder has, beside the locks: etcd/, pki/ (named as kubeadm's), port, kubeconfig and controlplane.log. The
// kubeconfig is removed when a plane starts and appears when it is ready. A folder keeps its authority for good and its
// port as long as it is free, so clients of an earlier run stay good too. Temporary files lie in a folder
// naosu-controlplane-… of the system's temporary folder; those of killed processes are removed by the next start.
package controlplane
