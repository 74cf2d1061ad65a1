package query

import "testing"

// TestOnce: a value is computed once of each world and key, and each time without WithOnce.
func TestOnce(t *testing.T) {
	times := 0
	for _, q := range []Query{{}, Query{}.WithOnce()} {
		for range 3 {
			Once(q, "key", func() int { times++; return times })
		}
	}
	if times != 4 {
		t.Errorf("computed %d times, want 3 and 1", times)
	}
}
