package guard

// NodeGroupChecks are all checks that must allow before naosu resizes a node group for a HeadroomPolicy. Nodes are added and no pod is disturbed, so that
// neither budgets nor windows apply; but which nodes are there cannot be told while the API server or the network is suspected.
func NodeGroupChecks() []Check {
	return []Check{
		{"paused", paused},
		{"lease", leading},
		{"fresh", fresh},
		{"mode", mode},
		{"api-server", apiServer},
	}
}
