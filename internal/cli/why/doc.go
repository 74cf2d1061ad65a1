// Package why is the verb that says why something in the cluster is as it is.
package why
