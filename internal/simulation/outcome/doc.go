// Package outcome holds what a simulation says: what becomes of each pod, the budgets violated, what was not simulated, and how the
// outcomes of several futures are summed up. It is data: what only reads forecasts imports it without the scheduler.
package outcome
