// Package record keeps naosu's own objects: Remediations and their status, the ledger of disruption, Events; and it removes
// the conditions that naosu's agents leave on Nodes. Everything is written with a precondition on what was read, and making a
// thing twice makes it once. It changes nothing that is not naosu's; that is for package action.
package record
