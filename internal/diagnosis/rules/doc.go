// Package rules holds one rule for each problem that is not about an unschedulable pod: problems there are now, and risks, which
// are simulated.
package rules
