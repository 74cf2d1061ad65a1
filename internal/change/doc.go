// Package change holds the one idea of change: a sealed family of things that can be done to a cluster, each of which
// names what it touches and can be written as the command a person would type. Simulation predicts them and action
// performs some; this package does neither.
package change
