// Package fast gives the answers of package plain sooner. It asks plugins only what it does not know: what they have said of nodes that have
// not changed since, for pods that they cannot tell apart, it remembers, and what is the same for many nodes it asks once. What it knows of the
// insides of plugins is listed in docs/adr/0011; tests hold it against package plain.
package fast
