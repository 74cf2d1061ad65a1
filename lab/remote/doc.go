// Package remote is how a command reaches a lab that runs in another process: a small HTTP API on loopback, whose address
// and token are in a file of the lab's folder that only its owner can read.
package remote
