// Package report tells the API server what the agent found: fatal reasons as node conditions, and every reason that stood
// as an Event. What is to be written follows from two things alone, what holds on the node and what the API server shows,
// so that neither a restart nor an outage on either side loses or repeats anything.
package report
