// Package controller runs the shipped naosu controller, as one process and as several, against the lab: the real control
// plane, simulated nodes, and the lab's cloud behind the real AWS SDK.
package controller
