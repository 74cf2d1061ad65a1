// Package scenario is the format of an incident: one YAML file with the cluster, what happens when, what must be seen, and
// variants in which it goes another way. It reads a file strictly, checks everything that can be checked before a cluster
// is built, and resolves it into passes, each of which is played on a fresh cluster by lab/scenario/play.
//
// Times in a scenario are those of reality; a time scale is applied when it is played. The types here are the format:
// docs/en/scenarios.md explains it, scenarios/schema.json is generated from them.
package scenario
