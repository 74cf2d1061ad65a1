// Package finding holds the shape of an answer: what naosu found, the chain of causes with the evidence each link was
// read from, what was ruled out, what would mend it, and what it could not know. It is data, already put into words.
package finding
