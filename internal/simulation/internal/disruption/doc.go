// Package disruption simulates the disruption controller: how many pods of each PodDisruptionBudget are healthy, whether the eviction
// API would evict a pod, and which budgets are violated. It reads pods, and returns edits of budgets.
package disruption
