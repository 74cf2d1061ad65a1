// Package controlplane runs the real etcd, kube-apiserver, kube-controller-manager and kube-scheduler, as a managed
// cluster has them: TLS with an authority of its own, client certificates and service account tokens, RBAC, the default
// admission plugins and controllers, a cloud controller manager expected from outside. There are no nodes.
//
// A plane runs in a process of its own ([StartChild]): any number of them, each with its own feature gates, and nothing that
// happens in them harms the caller. Package inprocess, which links Kubernetes, runs one in the caller's process.
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
//   - The endpoints of the kubernetes service have BindAddress if others can reach it, else an address reserved for
//     documentation: loopback addresses are not allowed there.
//
// # Files
//
// A data folder has, beside the locks: etcd/, pki/ (named as kubeadm's), port, kubeconfig and controlplane.log. The
// kubeconfig is removed when a plane starts and appears when it is ready. A folder keeps its authority for good and its
// port as long as it is free, so clients of an earlier run stay good too. Temporary files lie in a folder
// naosu-controlplane-… of the system's temporary folder; those of killed processes are removed by the next start.
package controlplane
