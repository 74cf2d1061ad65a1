// Package zonecoverage carries out the zone coverage of HeadroomPolicies, which internal/zonecoverage decides: it reads node groups, writes status.zones and
// the condition ZonesCovered, proposes Remediations that resize node groups, and advances them.
package zonecoverage
