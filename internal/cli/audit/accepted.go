package audit

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// acceptance is a file of accepted findings and which of them were met.
type acceptance struct {
	file    string
	entries []entry
}

type entry struct {
	finding.Accepted
	// until is the end of its last day.
	until time.Time
	// expired ones accept nothing.
	expired, met bool
}

// readAccepted reads a file of accepted findings, strictly: what is misspelt there would silently accept nothing, or too
// much. No file accepts nothing.
func readAccepted(file string, now time.Time) (*acceptance, error) {
	a := &acceptance{file: file}
	if file == "" {
		return a, nil
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, badAccepted(err)
	}
	var list []finding.Accepted
	if err := yaml.UnmarshalStrict(data, &list); err != nil {
		return nil, badAccepted(fmt.Errorf("%s: %w", file, err))
	}
	for i, accepted := range list {
		one, err := check(accepted)
		if err != nil {
			return nil, badAccepted(fmt.Errorf("%s, entry %d: %w", file, i+1, err))
		}
		one.expired = now.After(one.until)
		a.entries = append(a.entries, one)
	}
	return a, nil
}

func badAccepted(err error) error {
	return exit.BadInput("--accepted", message.Of(message.ErrFlag, message.Args{"problem": err.Error()}), message.Of(message.ErrAcceptedRemedy, nil))
}

func check(accepted finding.Accepted) (entry, error) {
	one := entry{Accepted: accepted}
	if !slices.Contains(finding.Codes, accepted.Code) {
		return one, fmt.Errorf("%s is no code", strconv.Quote(string(accepted.Code)))
	}
	parts := strings.Split(accepted.Subject, "/")
	if len(parts) != 2 && len(parts) != 3 || slices.Contains(parts, "") {
		return one, fmt.Errorf("the subject %s is neither kind/name nor namespace/kind/name", strconv.Quote(accepted.Subject))
	}
	if _, err := path.Match(accepted.Subject, ""); err != nil {
		return one, fmt.Errorf("the subject %s: %w", strconv.Quote(accepted.Subject), err)
	}
	if strings.TrimSpace(accepted.Reason) == "" {
		return one, errors.New("the reason is missing")
	}
	day, err := time.Parse(time.DateOnly, accepted.Expires)
	if err != nil {
		return one, fmt.Errorf("expires is %s and should be a day as in 2027-03-31", strconv.Quote(accepted.Expires))
	}
	one.until = day.Add(24*time.Hour - time.Second)
	return one, nil
}

// accepts says whether an entry that has not expired is about such a finding.
func (a *acceptance) accepts(code finding.Code, ref change.Ref) bool {
	for i := range a.entries {
		e := &a.entries[i]
		if e.Code == code && e.matches(ref) {
			e.met = true
			if !e.expired {
				return true
			}
		}
	}
	return false
}

func (e *entry) matches(ref change.Ref) bool {
	name := ref.String()
	if strings.Count(e.Subject, "/") == 2 {
		name = ref.Namespace + "/" + name
	}
	ok, err := path.Match(e.Subject, name)
	return err == nil && ok
}

// used are the entries that accepted something.
func (a *acceptance) used() []finding.Accepted {
	used := []finding.Accepted{}
	for _, e := range a.entries {
		if e.met && !e.expired {
			used = append(used, e.Accepted)
		}
	}
	return used
}

// soon is how long before its end an entry is spoken of.
const soon = 7 * 24 * time.Hour

// warn says which entries have expired, soon will, or met nothing, if everything was asked about.
func (a *acceptance) warn(w io.Writer, say message.Printer, now time.Time, whole bool) {
	for _, e := range a.entries {
		id := message.ID("")
		switch {
		case e.expired:
			id = message.AcceptedExpired
		case !e.met && whole:
			id = message.AcceptedStale
		case e.met && e.until.Sub(now) < soon:
			id = message.AcceptedEnding
		default:
			continue
		}
		fmt.Fprintln(w, say.Text(id, message.Args{"file": a.file, "code": string(e.Code), "subject": e.Subject, "expires": e.Expires}))
	}
}
