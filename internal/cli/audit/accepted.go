package audit

import (
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
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/terminal"
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
		return nil, exit.Unread("--accepted", file, err, sentence.ErrAcceptedRemedy())
	}
	var list []finding.Accepted
	if err := yaml.UnmarshalStrict(data, &list); err != nil {
		why := strings.TrimPrefix(err.Error(), "error unmarshaling JSON: while decoding JSON: ") // It is YAML to the reader.
		return nil, exit.BadInput(file, sentence.ErrFromParse(why), sentence.ErrAcceptedRemedy())
	}
	for i, accepted := range list {
		one, problem := check(accepted)
		if problem != nil {
			return nil, exit.BadInput(fmt.Sprintf("%s #%d", file, i+1), *problem, sentence.ErrAcceptedRemedy())
		}
		one.expired = now.After(one.until)
		a.entries = append(a.entries, one)
	}
	return a, nil
}

// check is an entry, or what is wrong with it.
func check(accepted finding.Accepted) (entry, *message.Sentence) {
	one := entry{Accepted: accepted}
	wrong := func(problem message.Sentence) (entry, *message.Sentence) { return one, &problem }
	if !slices.Contains(finding.Codes, accepted.Code) {
		return wrong(sentence.ErrNoCode(strconv.Quote(string(accepted.Code))))
	}
	parts := strings.Split(accepted.Subject, "/")
	_, err := path.Match(accepted.Subject, "")
	if err != nil || len(parts) != 2 && len(parts) != 3 || slices.Contains(parts, "") {
		return wrong(sentence.ErrAcceptedSubject(strconv.Quote(accepted.Subject)))
	}
	if strings.TrimSpace(accepted.Reason) == "" {
		return wrong(sentence.ErrAcceptedReason())
	}
	day, err := time.Parse(time.DateOnly, accepted.Expires)
	if err != nil {
		return wrong(sentence.ErrAcceptedExpires(strconv.Quote(accepted.Expires)))
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
		var warning message.Sentence
		switch {
		case e.expired:
			warning = sentence.AcceptedExpired(a.file, string(e.Code), e.Subject, e.Expires)
		case !e.met && whole:
			warning = sentence.AcceptedStale(a.file, string(e.Code), e.Subject)
		case e.met && e.until.Sub(now) < soon:
			warning = sentence.AcceptedEnding(a.file, string(e.Code), e.Subject, e.Expires)
		default:
			continue
		}
		terminal.WriteLine(w, say.Say(warning))
	}
}
