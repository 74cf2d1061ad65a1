package kernel

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// cron reads crontabs. There is no log on every host that says that a job ran.
type cron struct {
	host      host.Host
	threshold Count
}

// tables are where crontabs are, of Debian's cron and of cronie.
var tables = []string{"/etc/crontab", "/etc/cron.d/*", "/var/spool/cron/*", "/var/spool/cron/crontabs/*"}

func (c cron) find(context.Context) ([]evidence.Evidence, error) {
	var found []evidence.Evidence
	read := 0
	for _, pattern := range tables {
		files, _ := filepath.Glob(c.host.Path(pattern)) // The patterns are well-formed.
		for _, file := range slices.DeleteFunc(files, ignored) {
			text, err := os.ReadFile(file)
			if errors.Is(err, os.ErrNotExist) || errors.Is(err, syscall.EISDIR) {
				continue
			}
			if err != nil {
				return nil, err
			}
			read++
			if line, minutes := busiest(string(text)); minutes > int(c.threshold) {
				path := hostPath(c.host, file)
				found = append(found, fault(reason.RapidCron, path, path, fmt.Sprintf("line %d: %d minutes of the hour", line, minutes)))
			}
		}
	}
	if read == 0 {
		return []evidence.Evidence{inapplicable(reason.RapidCron, "/etc/crontab", "there is no crontab")}, nil
	}
	return found, nil
}

// ignored says whether cron leaves out a file: backups of editors and packages.
func ignored(file string) bool {
	name := filepath.Base(file)
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "#") || strings.HasSuffix(name, "~") ||
		strings.Contains(name, ".dpkg-") || strings.Contains(name, ".rpm")
}

// busiest finds the job of a crontab that is scheduled for the most minutes of an hour: the number of its line, from 1, and of the minutes.
// The command is not returned, as it may hold a password.
func busiest(crontab string) (line, most int) {
	number := 0
	for text := range strings.Lines(crontab) {
		number++
		words := strings.Fields(text)
		if len(words) < 6 {
			continue // Empty, a variable, or @daily and the like.
		}
		if n := bits.OnesCount64(minutes(words[0])); n > most {
			line, most = number, n
		}
	}
	return line, most
}

// minutes are those a first field of crontab(5) names, as bits. None if it is not one.
func minutes(field string) (set uint64) {
	for part := range strings.SplitSeq(field, ",") {
		span, step, stepped := strings.Cut(part, "/")
		by := 1
		if stepped {
			n, err := strconv.Atoi(step)
			if err != nil || n < 1 || n > 59 {
				return 0
			}
			by = n
		}
		first, last, ok := minuteSpan(span, stepped)
		if !ok {
			return 0
		}
		for m := first; m <= last; m += by {
			set |= 1 << m
		}
	}
	return set
}

// minuteSpan reads "*", "5" and "5-20"; "5/10" means from 5 on. "5~20" is one of them, drawn when cron starts.
func minuteSpan(text string, open bool) (first, last int, ok bool) {
	if text == "*" {
		return 0, 59, true
	}
	if strings.Contains(text, "~") {
		return 0, 0, !open
	}
	from, to, ranged := strings.Cut(text, "-")
	first, err := strconv.Atoi(from)
	if err != nil || first < 0 || first > 59 {
		return 0, 0, false
	}
	switch {
	case ranged:
		last, err = strconv.Atoi(to)
		return first, last, err == nil && first <= last && last <= 59
	case open:
		return first, 59, true
	}
	return first, first, true
}
