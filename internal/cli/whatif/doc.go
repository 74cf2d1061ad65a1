// Package whatif is the verb that says what changes would do: to each pod, and what would be wrong then.
package whatif
