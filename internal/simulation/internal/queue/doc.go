// Package queue is the scheduling queue: pods by priority and time, and the unschedulable ones until an event may make them
// schedulable. Which node a pod gets is no part of it.
package queue
