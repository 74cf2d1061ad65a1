// Package expr holds the language of a scenario's expectations: CEL over the cluster's real objects.
//
// Variables are lists of objects as the API server has them (pods, nodes, claims …) and of the cloud's node groups.
// Objects are typed by Kubernetes' own Go types, so that a misspelt field or a comparison of unlike things is found when
// the scenario is read, not after it has run. A field that is not set has its type's zero value, as in protocol buffers:
// `pod.spec.nodeName == ""` is a pod without a node, and has(pod.spec.nodeName) says whether it has one.
//
// Beside CEL's standard library there are its string, list, set and math extensions, Kubernetes' quantity() and regular
// expressions, and the helpers listed in Functions.
package expr
