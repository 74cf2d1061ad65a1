// Package twin makes a lab of a snapshot: the cluster's objects as etcd holds them, machines and volumes of a cloud that
// matches, and an account of what could not be carried over.
//
// What a snapshot holds goes in as it is: names, UIDs, owners, times, and where pods run. What is added is what a snapshot
// leaves out and the twin's controllers need: namespaces, service accounts and classes that pods name, and the revisions
// by which DaemonSets and StatefulSets know their pods. What no part of the lab would handle is removed:
// owners that are not there, for which the garbage collector would delete what they own, and finalizers of programs that
// do not run.
package twin
