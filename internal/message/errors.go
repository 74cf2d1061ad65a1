package message

// Errors, by what the person can do about them.
const ()
