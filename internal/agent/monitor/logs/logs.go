// Package logs is the one monitor of lines: it applies the catalogue's matches, those of every domain, to the logs that
// they name.
package logs

// kernelLog is the kernel's own log, in the catalogue's matches.
const kernelLog = "kernel"

const maxEntity = 256 // bytes
