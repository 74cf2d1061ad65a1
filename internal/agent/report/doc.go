// Package report reports to the API server: fatal reasons that stand as node conditions, and every reason that stands or stood as an Event. What
// is written is computed from the state of the reasons and from the Node as the API server has it, so that a restart or an outage of either side
// neither loses nor repeats anything.
package report
