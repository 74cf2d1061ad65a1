package serverclock

import (
	"math"
	"net/http"
	"testing"
	"time"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// A server whose clock is behind by skew writes its date some time after the request: the truth is always within the bounds, which are
// no further apart than the round trip and a second.
func TestAheadHoldsTheTruth(t *testing.T) {
	for _, skew := range []time.Duration{0, time.Millisecond, -400 * time.Millisecond, 7 * time.Second, -time.Hour} {
		for _, trip := range []time.Duration{0, 3 * time.Millisecond, 999 * time.Millisecond, 12 * time.Second} {
			for tenth := range 11 {
				for begins := range 20 {
					sent := noon.Add(time.Duration(begins) * 51 * time.Millisecond)
					written := sent.Add(trip * time.Duration(tenth) / 10)
					var c Clock
					header := http.Header{"Date": {written.Add(-skew).UTC().Truncate(time.Second).Format(http.TimeFormat)}}
					c.Note(sent, sent.Add(trip), header)
					least, most := c.Readings(sent.Add(trip))[0].Ahead()
					if skew < least || skew > most || most-least != trip+time.Second {
						t.Fatalf("ahead by %v, round trip %v, written after %d tenths: between %v and %v", skew, trip, tenth, least, most)
					}
				}
			}
		}
	}
}

func TestDatesThatTellNothing(t *testing.T) {
	var c Clock
	for _, date := range []string{"", "now", "Sat, 31 Nov 2026 12:00:00 GMT", "2026-11-21T12:00:00Z", "Sat, 21 Nov 2026 12:00:00 +0900"} {
		c.Note(noon, noon, http.Header{"Date": {date}})
	}
	if got := c.Readings(noon); len(got) != 0 {
		t.Errorf("they tell %v", got)
	}
	for _, date := range []string{"Mon, 01 Jan 0001 00:00:00 GMT", "Fri, 31 Dec 9999 23:59:59 GMT"} {
		var c Clock
		c.Note(noon, noon.Add(time.Minute), http.Header{"Date": {date}})
		least, most := c.Readings(noon.Add(time.Minute))[0].Ahead()
		if least > most || (least > 0) != (date[:3] == "Mon") || math.Abs(most.Hours()) > 101*366*24 {
			t.Errorf("%s: between %v and %v", date, least, most)
		}
	}
}

func TestReadingsGrowOld(t *testing.T) {
	var c Clock
	note := func(at time.Time) {
		c.Note(at, at, http.Header{"Date": {at.Format(http.TimeFormat)}})
	}
	for minute := range 20 {
		note(noon.Add(time.Duration(minute) * time.Minute))
	}
	at := noon.Add(19 * time.Minute)
	if got := c.Readings(at); len(got) != maxReadings || !got[0].At.Equal(at) || !got[1].At.Equal(at.Add(-time.Minute)) {
		t.Errorf("it keeps %v", got)
	}
	if got := c.Readings(at.Add(Fresh - time.Minute)); len(got) != 1 {
		t.Errorf("fourteen minutes later: %v", got)
	}
	if got := c.Readings(at.Add(Fresh)); len(got) != 0 {
		t.Errorf("fifteen minutes later: %v", got)
	}
	if got := c.Readings(noon.Add(-time.Hour)); len(got) != 0 {
		t.Errorf("after the clock was put back: %v", got)
	}
}
