package kernel

import (
	"net/http"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/serverclock"
)

func TestClockSkew(t *testing.T) {
	noon := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	// answer is one of a server whose clock is behind by so much, which came so long ago and took so long, and wrote the date half-way.
	type answer struct{ behind, ago, took time.Duration }
	for name, tc := range map[string]struct {
		answers []answer
		want    string
	}{
		"together":                             {[]answer{{0, 0, time.Millisecond}}, "Well"},
		"not asked yet":                        {nil, "Unreadable: no answer of the API server in the last 15 minutes had a date"},
		"long ago":                             {[]answer{{time.Hour, 15 * time.Minute, 0}}, "Unreadable: no answer"},
		"four seconds":                         {[]answer{{4 * time.Second, 0, 0}}, "Well"},
		"five, which is in doubt":              {[]answer{{5300 * time.Millisecond, 0, 0}}, "Unreadable: the last answers do not tell: the node's clock is 5.5 s, give or take 0.5 s, ahead"},
		"seven seconds":                        {[]answer{{7 * time.Second, 0, 0}}, "Fault: the node's clock is 6.5 s, give or take 0.5 s, ahead of the API server's (Date: Sat, 21 Nov 2026 11:59:53 GMT)"},
		"behind":                               {[]answer{{-7 * time.Second, 0, 10 * time.Millisecond}}, "Fault: the node's clock is 6.5 s, give or take 0.5 s, behind"},
		"a slow server":                        {[]answer{{0, 0, 14 * time.Second}}, "Unreadable: the last answers do not tell"},
		"slow, and an hour off":                {[]answer{{time.Hour, 0, 14 * time.Second}}, "Fault: the node's clock is 3599.5 s, give or take 7.5 s, ahead"},
		"slow, after a quick one":              {[]answer{{0, 5 * time.Minute, 0}, {0, 0, 14 * time.Second}}, "Well"},
		"slow, after a quick one that differs": {[]answer{{8 * time.Second, 5 * time.Minute, 0}, {8 * time.Second, 0, 14 * time.Second}}, "Fault: "},
		"set right since":                      {[]answer{{time.Hour, 5 * time.Minute, 0}, {0, 0, 0}}, "Well"},
		"one server of two":                    {[]answer{{0, 5 * time.Minute, 0}, {time.Hour, 0, 0}}, "Fault: "},
		"never set":                            {[]answer{{200 * 365 * 24 * time.Hour, 0, 0}}, "Fault: "},
	} {
		t.Run(name, func(t *testing.T) {
			var server serverclock.Clock
			for _, a := range tc.answers {
				got := noon.Add(-a.ago)
				date := got.Add(-a.took / 2).Add(-a.behind).Truncate(time.Second)
				server.Note(got.Add(-a.took), got, http.Header{"Date": {date.Format(http.TimeFormat)}})
			}
			found, err := skew{&server, 5 * time.Second, clocktesting.NewFakePassiveClock(noon)}.find(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			got := "Well"
			if len(found) > 0 {
				got = string(found[0].State) + ": " + found[0].Raw
			}
			if !strings.HasPrefix(got, tc.want) {
				t.Errorf("%s, want %s", got, tc.want)
			}
		})
	}
	found, err := skew{nil, 5 * time.Second, clocktesting.NewFakePassiveClock(noon)}.find(t.Context())
	if err != nil || len(found) != 1 || found[0].State != "Inapplicable" {
		t.Errorf("without an API server: %+v, %v", found, err)
	}
}

// One server, or proxy, whose date is wrong among others makes nothing stand, nor do two of three; a difference that lasts does.
func TestClockSkewStands(t *testing.T) {
	start := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for name, tc := range map[string]struct {
		// wrong says of which answers the date is by ten seconds.
		wrong  func(answer int) bool
		stands int // the minute from which on, -1 if never
	}{
		"once":              {func(answer int) bool { return answer == 4 }, -1},
		"two of three":      {func(answer int) bool { return answer%3 > 0 }, -1},
		"from the fifth on": {func(answer int) bool { return answer >= 5 }, 40},
	} {
		t.Run(name, func(t *testing.T) {
			now := clocktesting.NewFakeClock(start)
			var server serverclock.Clock
			m := periodic(time.Minute, "skew", skew{&server, 5 * time.Second, now}.find, reason.ClockSkew)
			m.Clock = now
			store := evidence.NewStore(reason.Catalogue)
			stands := -1
			for minute := range 60 {
				now.SetTime(start.Add(time.Duration(minute) * time.Minute))
				if minute%5 == 0 {
					date := now.Now()
					if tc.wrong(minute / 5) {
						date = date.Add(-10 * time.Second)
					}
					server.Note(now.Now(), now.Now(), http.Header{"Date": {date.Format(http.TimeFormat)}})
				}
				if err := m.Look(t.Context(), store.Add); err != nil {
					t.Fatal(err)
				}
				if standing := len(store.Snapshot(now.Now()).Standing) > 0; standing && stands < 0 {
					stands = minute
				}
			}
			if stands != tc.stands {
				t.Errorf("it stands from minute %d on, want %d", stands, tc.stands)
			}
		})
	}
}
