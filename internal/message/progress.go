package message

// What long work says of its progress.
const ()
