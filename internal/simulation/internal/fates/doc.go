// Package fates records what becomes of each pod while a future is simulated. A record follows a pod of the initial snapshot and its
// successive replacements. What is told of it at the end is an outcome.Fate.
package fates
