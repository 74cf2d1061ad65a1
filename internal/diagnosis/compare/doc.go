// Package compare says what differs between a thing that works and one that does not, and which of it is the cause.
package compare
