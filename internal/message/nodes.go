package message

// N2xx: node failure.
const ()
