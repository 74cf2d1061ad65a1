package guard

// HeadroomChecks are all checks that must allow before naosu resizes the room of a HeadroomPolicy. Placeholder pods disturb no other pod, so that neither
// budgets nor windows apply; but what room is needed cannot be told while the API server or the network is suspected.
func HeadroomChecks() []Check {
	return []Check{
		{"lease", leading},
		{"fresh", fresh},
		{"api-server", apiServer},
	}
}
