// Package program runs the naosu program beside a scenario: what it says its kinds are, its controller, and its commands.
//
// The lab judges naosu and shares no code with it. All that is known of it here are its command line and the custom resource
// definitions that it prints, from which the fields are known that a time scale has to divide.
package program
