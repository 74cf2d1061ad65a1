// Package duration writes durations for people, in English and in Japanese.
package duration

import (
	"fmt"
	"strings"
	"time"
)

// In is a duration in a language, without what is zero: 24h, not 24h0m0s; 24 時間. It is English if the language is not ja.
func In(language string, d time.Duration) string {
	if language != "ja" {
		s := d.String()
		for _, zero := range []string{"m0s", "h0m"} {
			if strings.HasSuffix(s, zero) {
				s = s[:len(s)-len(zero)+1]
			}
		}
		return s
	}
	var parts []string
	for _, unit := range []struct {
		size time.Duration
		name string
	}{{time.Hour, "時間"}, {time.Minute, "分"}} {
		if n := d / unit.size; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, unit.name))
		}
		d %= unit.size
	}
	if d > 0 || len(parts) == 0 {
		parts = append(parts, fmt.Sprintf("%v 秒", d.Seconds()))
	}
	return strings.Join(parts, " ")
}
