// Package nodeliveness tells nodes whose machine is silent from nodes that live, within seconds and without the API server: by the heartbeats
// of their agents, the renewals of their Leases as they are received, and whether other nodes still reach them. It is pure: a Detector is
// given what was received and the time, and returns what is to be asked. Silence is a suspicion that several witnesses share, not proof that
// the machine is off.
package nodeliveness
