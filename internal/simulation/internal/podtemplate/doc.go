// Package podtemplate compares and edits pod templates as controllers and kubectl apply do: whether two are equal, what a manifest's
// template inherits from the live one, a container's resources.
package podtemplate
