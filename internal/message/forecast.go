package message

// What a change would do.
const ()
