// Package record stores naosu's own objects: Remediations and their status, the ledger, the certificate authorities of the heartbeat
// server, Events; and it removes the conditions that naosu's agents leave on Nodes. Every write has a precondition on what was read,
// and creating an object twice creates it once. It changes no object of others; package action does.
package record
