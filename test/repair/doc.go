// Package repair tests node repair by randomized fault injection: a run has a small cluster on an API server in memory, random faults in
// machines, cloud, API and caches, a controller that is killed at any call, and a checker of the invariants of repair.
package repair
