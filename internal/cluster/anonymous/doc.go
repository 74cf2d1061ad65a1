// Package anonymous replaces what objects call things, so that a cluster may be shown to others: the same by the same
// everywhere, so that every conclusion about it stays what it was, up to names. Their order is not kept, as it would tell of
// what they were: where something is taken in order, as one of several equally good nodes, it may be another one.
//
// Replaced is every string that is not known to be harmless: an unknown field of an unknown kind as well. Names are
// replaced part by part ("data-redis-0" becomes "kipa-tovum-0" where "redis" becomes "tovum"), because controllers make
// names of names: a pod's of its ReplicaSet's, a claim's of a pod's. Addresses keep their common prefixes, so that
// networks still contain what they did. Left as they are: Kubernetes' own vocabulary, the labels and drivers of Kubernetes
// and the clouds, the clouds' zones, regions and machine types, versions, quantities and times.
//
// Of sentences (messages of events and conditions) only the words stay that Kubernetes itself says things in.
package anonymous
