// Package headroom is the controller of HeadroomPolicies: it holds the room that a policy wants with placeholder pods, resizes it, says in the policy's
// status which failures the pods that are bound survive, and measures how long preemption takes.
package headroom
