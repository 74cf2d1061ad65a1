// Package facts contains functions of single objects, or of the few that they refer to: where a volume can be used,
// which pods a node repels, what owns a pod.
package facts
