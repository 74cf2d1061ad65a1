// Package status explains the state of objects that do not wait for the scheduler, in kubectl's terms: what they wait for, and
// why they ended.
package status
