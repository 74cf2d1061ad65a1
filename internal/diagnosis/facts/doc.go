// Package facts holds what objects say of themselves: where a volume can be used, what a node repels, whose a pod is.
// Each is a function of the objects handed to it.
package facts
