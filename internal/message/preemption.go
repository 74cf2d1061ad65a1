package message

// N5xx: preemption and headroom.
const ()
