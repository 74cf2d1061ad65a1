// Package eksmonitor simulates the EKS node monitoring agent (github.com/aws/eks-node-monitoring-agent) in every running
// pod with its chart's label, as far as it writes conditions of nodes.
//
// Of what it detects there is the one thing that a machine of the lab can have: a network interface that is down, seen by
// two polls in a row. As with the real one, a condition that has turned False stays so until the agent starts again, an
// agent that starts sets all its conditions to True, and what others write in its conditions is overwritten at its next heartbeat.
package eksmonitor
