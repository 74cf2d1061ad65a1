// Package compact decodes objects for a Snapshot: it strips fields that naosu does not use and those that may be confidential, and interns the parts
// that are equal between objects, so that they are held in memory once.
//
// It does so on the protobuf encoding, in which equal parts are equal bytes: they are found before they are decoded, so that
// interning saves time as well (docs/adr/0014).
package compact
