// Package descheduler runs the descheduler (sigs.k8s.io/descheduler) and the plans of naosu on the same clusters of the lab, and compares
// what each does as the API server sees it.
//
// The descheduler is the unmodified program, of the module in program/, whose dependencies are not those of this one. It runs as its
// CronJob does: one run, then the cluster settles, then the next.
package descheduler
