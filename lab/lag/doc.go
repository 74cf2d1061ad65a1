// Package lag measures how much time this process loses to the rest of its machine: how late it runs because other
// processes hold the processors, because a hypervisor gives them to other machines, or because it was stopped.
//
// What it decides is one pure function over two samples, lost. Meter takes the samples.
package lag
