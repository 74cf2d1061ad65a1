// Package controlplane runs the real etcd, kube-apiserver, kube-controller-manager and kube-scheduler in this process.
package controlplane
