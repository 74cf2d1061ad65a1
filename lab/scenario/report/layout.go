package report

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// clock is scenario time as minutes and seconds, such as "7:05.2", or with hours before.
func clock(seconds float64) string {
	all := int64(math.Round(seconds * 10))
	hours, minutes, rest := all/36000, all/600%60, float64(all%600)/10
	if hours > 0 {
		return fmt.Sprintf("%d:%02d:%04.1f", hours, minutes, rest)
	}
	return fmt.Sprintf("%d:%04.1f", minutes, rest)
}

// span is a length of time, to the tenth of a second.
func span(seconds float64) string { return tenths(time.Duration(seconds * float64(time.Second))) }

func tenths(d time.Duration) string {
	text := d.Round(100 * time.Millisecond).String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// wrap breaks text at blanks into lines of at most width columns; a longer word is broken where it must be. There is
// always one line.
func wrap(text string, width int) []string {
	lines := []string{""}
	for word := range strings.FieldsSeq(text) {
		for letters := []rune(word); len(letters) > 0; {
			last := &lines[len(lines)-1]
			used := len([]rune(*last))
			if used > 0 {
				used++
			}
			if len(letters) > width-used && used > 0 {
				lines = append(lines, "")
				continue
			}
			n := min(len(letters), width)
			*last = strings.TrimPrefix(*last+" "+string(letters[:n]), " ")
			letters = letters[n:]
		}
	}
	return lines
}
