// Package diagnosis turns a world into findings: rules that read a Snapshot and name causes with their evidence. Rules
// never guess; the engine reports as unknown what a rule needs and the Snapshot does not contain. The same rules apply
// to the present and to any future, because both are Snapshots.
package diagnosis
