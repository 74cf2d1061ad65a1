// Package rules contains one rule for each problem other than unschedulable pods: present problems, and risks, which are
// simulated.
package rules
