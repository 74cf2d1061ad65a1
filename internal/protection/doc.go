// Package protection decides which Jobs a HeadroomPolicy protects from preemption: whether new Jobs may be given its PriorityClass, which existing ones
// have at least its priority, and whether the next growth of a DaemonSet would preempt protected pods nevertheless. It changes nothing: the admission
// policy of config/protection gives Jobs the class that is in the policy's status.
package protection
