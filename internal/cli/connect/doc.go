// Package connect makes the clients that verbs read a cluster with, from the flags and files that kubectl uses.
package connect
