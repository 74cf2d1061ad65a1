// Package zonecoverage decides whether usable nodes of each zone fit the pods of the volumes there, and if not, which node group gets a node in the zone by
// which size. It reads and changes nothing.
package zonecoverage
