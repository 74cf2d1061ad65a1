// Package eksmonitor plays the EKS node monitoring agent (github.com/aws/eks-node-monitoring-agent) in every pod that bears
// its chart's label and runs, as far as it writes conditions of nodes.
//
// Of what it detects there is the one thing that a machine of the lab can have: a network interface that is down, seen by
// two polls in a row. As with the real one, a condition that has turned False stays so until the agent starts again, an
// agent that starts says that all is well, and what others write in its conditions is overwritten at its next heartbeat.
package eksmonitor
