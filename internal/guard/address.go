package guard

// AddressChecks are all checks that must allow before naosu deletes the first interface for an AddressPolicy. Nodes and pods are not disturbed: which
// interfaces may be deleted is decided anew before each.
func AddressChecks() []Check {
	return []Check{
		{"paused", paused},
		{"lease", leading},
		{"fresh", fresh},
		{"mode", mode},
		{"api-server", apiServer},
		{"window", window},
	}
}
