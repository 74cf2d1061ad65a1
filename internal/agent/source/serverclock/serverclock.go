// Package serverclock compares the host's clock with a server's, by the Date headers of answers to other requests.
package serverclock

import (
	"net/http"
	"slices"
	"sync"
	"time"
)

const (
	// resolution is what a date leaves out (RFC 9110, 5.6.7): the server wrote it up to a second after that.
	resolution = time.Second
	// Fresh is for how long a reading is valid. The agent writes its conditions every five minutes.
	Fresh = 15 * time.Minute
	// maxDifference bounds the difference of two clocks that is believed: a clock that was never set is at 1970.
	maxDifference = 100 * 365 * 24 * time.Hour
	// maxReadings is how many readings are kept.
	maxReadings = 8
)

// Reading is what one answer tells of a server's clock.
type Reading struct {
	// Date is the answer's own, At when it came by the host's clock.
	Date, At time.Time
	// RoundTrip is how long after the request that was.
	RoundTrip time.Duration
}

// Ahead is by how much the host's clock is ahead of the server's, at least and at most; less than zero is behind. The server wrote the
// date at some time between the request and the answer, which is all that is known of when.
func (r Reading) Ahead() (least, most time.Duration) {
	most = min(max(r.At.Sub(r.Date), -maxDifference), maxDifference)
	return most - r.RoundTrip - resolution, most
}

// Clock keeps what answers told last. The zero Clock is ready, and safe for concurrent use.
type Clock struct {
	mu       sync.Mutex
	readings []Reading
}

// Note takes in an answer that came at a time to a request of an earlier one. One without a date, or with none that can be read, tells
// nothing.
func (c *Clock) Note(sent, got time.Time, header http.Header) {
	date, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.readings = append(c.readings, Reading{Date: date, At: got.Round(0), RoundTrip: got.Sub(sent)}) // Without the time since boot.
	c.readings = c.readings[max(0, len(c.readings)-maxReadings):]
}

// Readings are the last that still tell something, the newest first.
func (c *Clock) Readings(now time.Time) []Reading {
	c.mu.Lock()
	defer c.mu.Unlock()
	fresh := slices.DeleteFunc(slices.Clone(c.readings), func(r Reading) bool {
		age := now.Sub(r.At)
		return age >= Fresh || age < 0 // The clock was put back since.
	})
	slices.Reverse(fresh)
	return fresh
}
