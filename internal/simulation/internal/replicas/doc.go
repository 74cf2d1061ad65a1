// Package replicas reads how many pods a workload wants: its replicas, and how many more or fewer a rollout may have. It needs the
// workload alone.
package replicas
