// Package diagnosis turns a world into findings: rules that read a Snapshot and name causes with their evidence. Rules
// never guess; what a rule needs and the Snapshot does not know, the engine states as unknown. The same rules judge the
// present and any future, because both are Snapshots.
package diagnosis
