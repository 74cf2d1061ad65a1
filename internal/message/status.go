package message

// Why things other than a pending pod are as they are: pods that do not start or have ended, claims, nodes, workloads.
const ()
