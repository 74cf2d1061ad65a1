// Package anonymous replaces the names in objects, so that a snapshot of a cluster may be shared. A name is replaced by the same one everywhere, so
// that every conclusion stays the same, up to names. The order of names is not kept, because it would reveal something of them: where the first
// of several equally good nodes is chosen, it may be another one.
//
// Replaced is every string that is not known to be harmless: an unknown field of an unknown kind as well. Names are
// replaced part by part ("data-redis-0" becomes "kipa-tovum-0" where "redis" becomes "tovum"), because controllers make
// names of names: a pod's of its ReplicaSet's, a claim's of a pod's. Addresses keep their common prefixes, so that
// networks still contain what they did. Left as they are: Kubernetes' own vocabulary, the labels and drivers of Kubernetes
// and the clouds, the clouds' zones, regions and machine types, versions, quantities and times.
//
// Of sentences (messages of events and conditions) only the words of Kubernetes' own messages are kept.
package anonymous
