// Package exit says how a verb ends: 0 when it could answer, 1 when it could not, 2 when it was asked wrongly; and puts
// a failure into one line that says what a person can do about it.
package exit
