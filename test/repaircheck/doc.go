// Package repaircheck drills and checks on a real control plane: naosu's own command line and its controller, with each hop of the
// chain failing in turn. The hops within the agent are tested in test/agent; here, its report is written as the agent would.
package repaircheck
