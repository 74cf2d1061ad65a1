// Package rules holds the rules that look for one kind of trouble each: what is wrong now, and what may come, which
// they play.
package rules
