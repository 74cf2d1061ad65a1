// Package repair has its tests play nights: a small cluster on an API server in memory, random faults in machines, cloud,
// API and caches, a controller that is killed at any call, and a watch over what repair must never do.
package repair
