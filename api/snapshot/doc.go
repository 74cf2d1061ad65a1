// Package snapshot is the framing of a snapshot file: a header, and then the objects of a cluster, one record each, in
// the encoding the Kubernetes API stores them in. It knows nothing of what the objects mean.
//
// The file begins with a magic word and the format's version; what follows is one gzip stream. In it every field is
// preceded by its length in four bytes, the high one first: the header as JSON, then each record's API version, kind,
// encoding and data. A record without an encoding ends the file and holds the number of records as its data, in eight
// bytes. What is cut off, changed or too long is therefore seen: the end is missing, the count or gzip's checksum is
// wrong, or a length exceeds its bound.
package snapshot
