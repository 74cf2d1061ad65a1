package headroom

// ComputeSome is Compute that loses so many classes of nodes at most.
var ComputeSome = compute
