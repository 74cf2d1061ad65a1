// Package cli is the command line of naosu-lab: one file a verb. It builds labs, plays scenarios on them and shows what came of it; what a
// lab or a scenario is stands in the packages below lab. It does not link the control plane, which the program's main hands in.
package cli
