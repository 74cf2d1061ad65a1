package message

// Fit: what keeps a pod off nodes (N504), nearest misses, and the remedies that follow.
const ()
