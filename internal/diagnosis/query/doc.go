// Package query is a question about a world and what every rule needs to answer it: which kinds are known, what the scheduler
// says of a pod (verdicts, each asked for once), which remedies a simulation verifies, and what autoscalers and Events tell.
package query
