// Package reclaim decides which network interfaces that the VPC CNI left behind may be deleted, and in which order a run of deletions calls EC2. It is
// pure: nothing is read, and nothing is deleted.
//
// EC2 itself refuses to delete an interface that is attached. What remains is to spare those that are available and not leaked: one that an instance is
// about to attach, one that somebody keeps, one of another cluster. An interface is therefore deleted only if its description and tags say that the VPC CNI
// of this cluster made it, and EC2 says that the instance that it was made for no longer exists: this stays true, however long the rest takes.
package reclaim
