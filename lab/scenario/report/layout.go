package report

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// clock is scenario time as minutes and seconds, such as "7:05.2", or with hours before.
func clock(seconds float64) string {
	tenths := int64(math.Round(seconds * 10))
	hours, minutes, rest := tenths/36000, tenths/600%60, float64(tenths%600)/10
	if hours > 0 {
		return fmt.Sprintf("%d:%02d:%04.1f", hours, minutes, rest)
	}
	return fmt.Sprintf("%d:%04.1f", minutes, rest)
}

// span is a length of time, to the tenth of a second.
func span(seconds float64) string {
	return time.Duration(math.Round(seconds*10) * float64(time.Second) / 10).String()
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// wrap breaks text at blanks into lines of at most width columns; a longer word is broken where it must be. There is
// always one line.
func wrap(text string, width int) []string {
	lines := []string{""}
	for _, word := range strings.Fields(text) {
		for {
			last := &lines[len(lines)-1]
			room := width - len([]rune(*last))
			if *last != "" {
				room--
			}
			letters := []rune(word)
			if len(letters) <= room {
				*last = strings.TrimPrefix(*last+" "+word, " ")
				break
			}
			if *last != "" {
				lines = append(lines, "")
				continue
			}
			*last, word = string(letters[:width]), string(letters[width:])
			lines = append(lines, "")
		}
	}
	return lines
}
