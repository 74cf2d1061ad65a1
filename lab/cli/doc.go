// Package cli is the command line of naosu-lab: one file a verb. It builds labs, plays scenarios on them and shows what came of it; a
// lab and scenarios are defined in the packages below lab. It does not link the control plane, which the program's main passes in.
package cli
