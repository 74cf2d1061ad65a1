// Package intake is what every object passes on its way into a Snapshot, wherever it comes from: it loses what no question
// needs and what may be confidential, and the parts that it has in common with other objects are held in memory once.
//
// That is done on the objects' protobuf form, in which equal parts are equal bytes: they are found before they are
// decoded, so that sharing saves time as well.
package intake
