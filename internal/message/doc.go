// Package message holds every sentence naosu says, by language. A sentence is asked for by its ID with named values, so
// that each language orders and counts as its speakers do; nothing outside this package knows words.
package message

//go:generate go run ./generate
