package headroom

// ComputeInBatches is Compute that loses so many nodes at once first, however few there are.
var ComputeInBatches = compute
