package headroom

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"

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
	// priced is whether prices were given.
	priced bool
}

const (
	// mostCases bounds the worst cases that are described, mostRows the rows of one.
	mostCases = 3
	mostRows  = 5
)

func (w writer) write(a answer) error {
	w.Paragraph("", w.say.Say(sentence.HeadroomSummary(len(a.Failures), a.costly(), a.unknown())), output.Strong)
	if a.Reserve != nil {
		w.Paragraph("", w.say.Say(reserveOf(a.Reserve)), output.Plain)
	}
	w.failures(a.Failures, a.Reserve != nil)
	w.wholes(a.Failures)
	w.policies(a.Policies)
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

// failures is the table, the worst first. Only a wide page has room for all columns.
func (w writer) failures(all []failure, sized bool) {
	lost := w.Wide || slices.ContainsFunc(all, func(f failure) bool { return len(f.Worst.Lost) > 0 })
	heads := []message.Sentence{sentence.HeadroomHeadFailure()}
	if w.Wide {
		heads = append(heads, sentence.HeadroomHeadCases())
	}
	heads = append(heads, sentence.HeadroomHeadWait(), sentence.HeadroomHeadPreempted())
	if lost {
		heads = append(heads, sentence.HeadroomHeadLost())
	}
	if sized {
		heads = append(heads, sentence.HeadroomHeadNodes(), sentence.HeadroomHeadRoom())
	}
	if sized && w.priced {
		heads = append(heads, sentence.HeadroomHeadPrice())
	}
	var rows [][]string
	for _, f := range all {
		row := []string{w.say.Say(f.Name)}
		if w.Wide {
			row = append(row, f.casesCell())
		}
		row = append(row, f.count(f.Worst.Waiting), f.count(f.Worst.Preempted))
		if lost {
			row = append(row, f.count(f.Worst.Lost))
		}
		if sized {
			row = append(row, w.nodes(f.Room), w.room(f.Room))
		}
		if sized && w.priced {
			row = append(row, priceCell(f.Room))
		}
		rows = append(rows, row)
	}
	if len(rows) > 0 {
		w.Blank()
		w.Table("", w.heads(heads...), rows)
	}
}

// wholes says what a HeadroomPolicy would hold for each step.
func (w writer) wholes(all []failure) {
	for _, f := range all {
		if f.Whole != nil {
			w.Blank()
			w.Paragraph("", w.say.Say(sentence.HeadroomStepRoom(f.Name, f.Whole.Nodes, sizeOf(f.Whole.Requests), f.Whole.Free)), output.Plain)
		}
	}
}

// unknownCell is that of a number that is not known.
const unknownCell = "?"

// count is the number of pods with a fate.
func (f failure) count(pods []headroom.Affected) string {
	if f.Status != headroom.Known {
		return unknownCell
	}
	return strconv.Itoa(len(pods))
}

// casesCell is how many cases have a cost, of all.
func (f failure) casesCell() string {
	switch {
	case f.Status != headroom.Known:
		return unknownCell
	case f.Unplayed > 0:
		return "≥ " + strconv.Itoa(f.Costly) + "/" + strconv.Itoa(f.Cases)
	default:
		return strconv.Itoa(f.Costly) + "/" + strconv.Itoa(f.Cases)
	}
}

// nodes are those that must be added for a room.
func (w writer) nodes(r *headroom.Room) string {
	switch {
	case r == nil:
		return unknownCell
	case r.Needs == nil:
		return "-"
	default:
		return strings.TrimSpace("+" + strconv.Itoa(r.Needs.Count) + " " + r.Needs.Group)
	}
}

// room is a room in short, as in "2 × 500m/1Gi"; on a wide page with the nodes.
func (w writer) room(r *headroom.Room) string {
	if r == nil {
		return unknownCell
	}
	var parts []string
	switch {
	case r.Result == headroom.NotSized:
		parts = append(parts, w.say.Say(sentence.HeadroomNotSized()))
	case len(r.Placeholders) == 0:
		parts = append(parts, "-")
	default:
		parts = append(parts, sizesOf(r, w.Wide)...)
	}
	if r.Helpless > 0 {
		parts = append(parts, w.say.Say(sentence.HeadroomHelpless(r.Helpless)))
	}
	return strings.Join(parts, ", ")
}

// priceCell is what a room costs an hour.
func priceCell(r *headroom.Room) string {
	if r == nil || r.Price == nil {
		return unknownCell
	}
	return strconv.FormatFloat(*r.Price, 'f', 3, 64)
}

// mostSizes bounds the sizes of placeholders that a row names.
const mostSizes = 3

// sizesOf are the placeholders of a room by size, each as in "2 × 500m/1Gi".
func sizesOf(r *headroom.Room, wide bool) []string {
	count, on := map[string]int{}, map[string][]string{}
	var sizes []string
	for _, p := range r.Placeholders {
		size := sizeOf(p.Requests)
		if count[size]++; count[size] == 1 {
			sizes = append(sizes, size)
		}
		on[size] = append(on[size], p.Node)
	}
	var parts []string
	for i, size := range sizes {
		part := strconv.Itoa(count[size]) + " × " + size
		if wide {
			part += " (" + strings.Join(on[size], " ") + ")"
		} else if i == mostSizes {
			return append(parts, "…")
		}
		parts = append(parts, part)
	}
	return parts
}

// sizeOf is the CPU and memory of a placeholder, and what else it requests.
func sizeOf(requests corev1.ResourceList) string {
	cpu := requests[corev1.ResourceCPU]
	short := cpu.String()
	if memory, ok := requests[corev1.ResourceMemory]; ok {
		short += "/" + memory.String()
	}
	parts := []string{short}
	for _, name := range slices.Sorted(maps.Keys(requests)) {
		if quantity := requests[name]; name != corev1.ResourceCPU && name != corev1.ResourceMemory {
			parts = append(parts, string(name), quantity.String())
		}
	}
	return strings.Join(parts, " ")
}

// reserveOf says how much could be given back.
func reserveOf(r *headroom.Reserve) message.Sentence {
	short := func(list corev1.ResourceList) string {
		rest := corev1.ResourceList{}
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			if quantity, ok := list[name]; ok {
				rest[name] = quantity
			}
		}
		return sizeOf(rest)
	}
	switch {
	case r.Status == headroom.MoreNodes:
		return sentence.HeadroomMoreNodes()
	case r.Status != headroom.Computed || r.Room == nil:
		return sentence.HeadroomReserveUnknown()
	default:
		return sentence.HeadroomGiveBack(short(r.Free), len(r.Room.Placeholders) > 0, message.ListOf(sizesOf(r.Room, false)), short(r.GiveBack))
	}
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
