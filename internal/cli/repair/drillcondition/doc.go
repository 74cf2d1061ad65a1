// Package drillcondition sets a condition on a Node for a drill, and restores the one before. The command line writes it with the
// permissions of the person who drills: it is no repair, so that neither the guard nor a Remediation is asked.
package drillcondition
