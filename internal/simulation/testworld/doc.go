// Package testworld makes small worlds for tests of the simulation, and tells what becomes of their pods.
package testworld
