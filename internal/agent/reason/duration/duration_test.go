package duration

import (
	"testing"
	"time"
)

func TestIn(t *testing.T) {
	for d, want := range map[time.Duration][2]string{
		24 * time.Hour: {"24h", "24 時間"}, 90 * time.Minute: {"1h30m", "1 時間 30 分"}, 10 * time.Minute: {"10m", "10 分"},
		90 * time.Second: {"1m30s", "1 分 30 秒"}, 10 * time.Second: {"10s", "10 秒"}, 1500 * time.Millisecond: {"1.5s", "1.5 秒"}, 0: {"0s", "0 秒"},
		time.Hour + time.Second: {"1h0m1s", "1 時間 1 秒"},
	} {
		if got := [2]string{In("en", d), In("ja", d)}; got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}
