// Package snapshot is the verb that writes the cluster to a file, to be asked about later, elsewhere or by someone else.
package snapshot
