package message

// Words of the audit and of accepted findings.
const ()
