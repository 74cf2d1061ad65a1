// Package inprocess runs the components of a control plane in this process, a goroutine each. It links Kubernetes and etcd,
// which takes minutes to compile and half a minute to link: only naosu-lab and this package's tests do.
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
// controlplane.StartChild has none of these limits, and costs a process: a program whose command ServeCommand calls [Serve].
package inprocess
