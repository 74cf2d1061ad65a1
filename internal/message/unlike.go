package message

// How a thing that does not work differs from one that does.
const ()
