// Package cli is naosu's command line: the root command, what all verbs share (how a cluster is reached, how an answer is
// written, what an error costs), and one folder a verb.
package cli
