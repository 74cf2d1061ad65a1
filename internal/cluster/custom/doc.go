// Package custom has the Go types of what custom resource definitions, or other API servers, add to Kubernetes: of each kind the
// fields that naosu reads. They stand in for the modules that define the kinds, which the command would link for a few fields.
package custom
