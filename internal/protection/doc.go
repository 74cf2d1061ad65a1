// Package protection decides which workloads a HeadroomPolicy protects from preemption: whether new ones may be given its PriorityClass, which existing ones
// have at least its priority, and whether the next growth of a DaemonSet would preempt protected pods nevertheless. It changes nothing: the admission
// policy of config/protection gives workloads the class that is in the policy's status.
package protection
