// Package sentence has a function for each sentence of internal/message, generated from its templates: what a sentence has
// are the parameters, so that a value that is missing or misspelt does not compile. What a template counts is an int, what
// it goes through a message.List, what it only asks for a bool, and what it prints anything that message.Sentence can have.
package sentence
