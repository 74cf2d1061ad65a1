// Package output writes answers: as JSON or YAML for programs, and on a page of the terminal's width for people.
package output
