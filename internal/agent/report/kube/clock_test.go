package kube

import (
	"fmt"
	"net/http"
	"testing"
	"time"
)

// What the API server answers anyhow tells of its clock; what a proxy says of its failure does not, nor an answer without a date.
func TestServerClock(t *testing.T) {
	behind, code, asked := time.Hour, http.StatusOK, 0
	c := client(t, func(w http.ResponseWriter, _ *http.Request) {
		asked++
		w.Header().Set("Date", time.Now().Add(-behind).UTC().Format(http.TimeFormat))
		if behind == 0 {
			w.Header()["Date"] = nil
		}
		w.WriteHeader(code)
		_, _ = fmt.Fprint(w, `{"metadata":{"name":"n"}}`)
	})
	for _, code = range []int{http.StatusOK, http.StatusForbidden, http.StatusConflict, http.StatusBadGateway} {
		_, _ = c.PatchConditions(t.Context(), "n", nil)
	}
	behind, code = 0, http.StatusOK
	_, _ = c.PatchConditions(t.Context(), "n", nil)
	readings := c.Clock.Readings(time.Now())
	if len(readings) != 3 || asked != 5 {
		t.Fatalf("of %d answers: %v", asked, readings)
	}
	for _, r := range readings {
		if least, most := r.Ahead(); least > time.Hour || most < time.Hour || r.RoundTrip <= 0 {
			t.Errorf("%+v: between %v and %v", r, least, most)
		}
	}
}
