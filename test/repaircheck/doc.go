// Package repaircheck drills and checks on a real control plane: naosu's own command line and its controller, with each hop of the
// chain cut in turn. The agent's half runs in test/agent; here its word is written as the agent writes it.
package repaircheck
