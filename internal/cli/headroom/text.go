package headroom

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/headroom"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// writer writes the answer for people: a summary, a row for each failure, the worst cases, and what is not known.
type writer struct {
	*output.Page
	say message.Printer
}

const (
	// mostCases bounds the worst cases that are described, mostRows the rows of one.
	mostCases = 3
	mostRows  = 5
)

func (w writer) write(a answer) error {
	w.Paragraph("", w.say.Say(sentence.HeadroomSummary(len(a.Failures), a.costly(), a.unknown())), output.Strong)
	w.failures(a.Failures)
	w.worst(a.Failures)
	w.gaps(sentence.HeadUnknown(), a.Unknown)
	w.gaps(sentence.HeadNotModelled(), a.NotModelled)
	if err := w.Err(); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

func (w writer) heads(says ...message.Sentence) []string {
	heads := make([]string, len(says))
	for i, s := range says {
		heads[i] = w.say.Say(s)
	}
	return heads
}

// failures is the table, the worst first.
func (w writer) failures(all []failure) {
	var rows [][]string
	for _, f := range all {
		row := []string{w.say.Say(f.Name)}
		if f.Status == headroom.Known {
			cases := strconv.Itoa(f.Costly) + "/" + strconv.Itoa(f.Cases)
			if f.Unplayed > 0 {
				cases = "≥ " + cases
			}
			row = append(row, cases, strconv.Itoa(len(f.Worst.Waiting)), strconv.Itoa(len(f.Worst.Preempted)), strconv.Itoa(len(f.Worst.Lost)))
		} else {
			row = append(row, "?", "?", "?", "?")
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return
	}
	w.Blank()
	w.Table("", w.heads(sentence.HeadroomHeadFailure(), sentence.HeadroomHeadCases(), sentence.HeadroomHeadWait(), sentence.HeadroomHeadPreempted(), sentence.HeadroomHeadLost()), rows)
}

// worst describes the worst cases of failures that have a cost: a row for the pods of a workload with one reason, on a wide page for each pod.
func (w writer) worst(all []failure) {
	shown := 0
	for _, f := range all {
		if f.Costly == 0 || shown == mostCases && !w.Wide {
			continue
		}
		shown++
		rows := slices.Concat(w.pods(sentence.HeadroomHeadWait(), f.Worst.Waiting), w.pods(sentence.HeadroomHeadLost(), f.Worst.Lost),
			w.pods(sentence.HeadroomHeadPreempted(), f.Worst.Preempted))
		if left := len(rows) - mostRows; left > 0 && !w.Wide {
			rows = append(rows[:mostRows], []string{"+" + strconv.Itoa(left), "", ""})
		}
		w.Blank()
		head := w.say.Say(f.Name)
		if len(f.Worst.Nodes) > 0 && f.Kind != headroom.Zone {
			head += ": " + strings.Join(f.Worst.Nodes, ", ")
		}
		w.Paragraph("", head, output.Heading)
		w.Table("", w.heads(sentence.ColumnPod(), sentence.HeadroomHeadFate(), sentence.HeadroomHeadReason()), rows)
	}
}

// pods are the rows of pods with one fate.
func (w writer) pods(fate message.Sentence, pods []headroom.Affected) [][]string {
	type key struct {
		workload change.Ref
		why      string
	}
	count := map[key]int{}
	var keys []key
	for _, one := range pods {
		k := key{one.Workload, w.reason(one)}
		if w.Wide {
			k.workload = one.Pod
		}
		if count[k]++; count[k] == 1 {
			keys = append(keys, k)
		}
	}
	var rows [][]string
	for _, k := range keys {
		name := change.NamespacedRef(k.workload).String()
		if count[k] > 1 {
			name += " (" + strconv.Itoa(count[k]) + ")"
		}
		rows = append(rows, []string{name, w.say.Say(fate), k.why})
	}
	return rows
}

func (w writer) reason(one headroom.Affected) string {
	switch {
	case one.Why.ID != "":
		return w.say.Say(one.Why)
	case one.By != nil && w.Wide:
		return w.say.Say(sentence.HeadroomMadeWay(change.NamespacedRef(*one.By)))
	default:
		return ""
	}
}

func (w writer) gaps(head message.Sentence, all []finding.Gap) {
	if len(all) == 0 {
		return
	}
	w.Blank()
	w.Paragraph("", strings.ToUpper(w.say.Say(head)), output.Heading)
	w.Gaps(w.say, all)
}
