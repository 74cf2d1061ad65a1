package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/lab/scenario/play"
)

// foldWithin is how many seconds of a scenario may lie between events that share a line.
const foldWithin = 5

// moving are the sorts of objects that go through several states in a row.
var moving = []play.Sort{play.Pod, play.Node, play.Volume, play.Repair}

// entry is a line of the timeline: one event, or several that tell one thing.
type entry struct {
	play.Event
	// objects is how many share the line.
	objects int
}

// fold makes a timeline readable. What an object does within a few seconds is one line, and so is what siblings do alike.
// Nothing is folded over a step or a point: what led to it stays before it.
func fold(events []play.Event, names naming) []entry {
	var folded []entry
	for chapter := range chapters(events) {
		folded = append(folded, siblings(transitions(chapter, names))...)
	}
	return folded
}

// chapters are the events between steps and points, each of which begins one.
func chapters(events []play.Event) func(func([]play.Event) bool) {
	return func(yield func([]play.Event) bool) {
		begin := 0
		for i, e := range events {
			if i > begin && (e.Sort == play.Step || e.Sort == play.Point) {
				if !yield(events[begin:i]) {
					return
				}
				begin = i
			}
		}
		yield(events[begin:])
	}
}

// transitions joins what happens to one object in a row.
func transitions(events []play.Event, names naming) []entry {
	var entries []entry
	for _, e := range events {
		e.Object, e.Message = names.short(e.Object), names.short(e.Message)
		at := slices.IndexFunc(entries, func(f entry) bool {
			return f.Sort == e.Sort && f.Object == e.Object && slices.Contains(moving, e.Sort) && e.AtSeconds-f.AtSeconds <= foldWithin
		})
		if at < 0 {
			entries = append(entries, entry{e, 1})
			continue
		}
		entries[at].Message += ", " + said(entries[at].Message, e.Message)
	}
	return entries
}

var onNode = regexp.MustCompile(` on \S+$`)

// said is a message without the node, if the message before it has named it already.
func said(before, message string) string {
	if node := onNode.FindString(message); node != "" && strings.Contains(before+",", node+",") {
		return strings.TrimSuffix(message, node)
	}
	return message
}

// siblings joins what objects of one owner do alike.
func siblings(entries []entry) []entry {
	var joined []entry
	for _, e := range entries {
		at := slices.IndexFunc(joined, func(f entry) bool {
			return f.Sort == e.Sort && slices.Contains(moving, e.Sort) && f.Message == e.Message &&
				e.AtSeconds-f.AtSeconds <= foldWithin && owner(f.Object) != "" && owner(f.Object) == owner(e.Object)
		})
		if at < 0 {
			joined = append(joined, e)
		} else {
			joined[at].objects++
		}
	}
	for i, e := range joined {
		if e.objects > 1 {
			joined[i].Object = fmt.Sprintf("%s… ×%d", owner(e.Object), e.objects)
		}
	}
	return joined
}

// owner is what siblings have in common in their names: a workload's pods but for their last part, and nodes that the
// scenario gives no names.
func owner(object string) string {
	switch {
	case strings.HasPrefix(object, "node/ip-"):
		return "node/ip-"
	case strings.HasPrefix(object, "pod/"):
		return object[:strings.LastIndex(object, "-")+1]
	}
	return ""
}

// naming says nodes by the names that the scenario gives them, or without their domain, and volumes by their claims.
type naming struct{ replacer *strings.Replacer }

var nodeDomain = regexp.MustCompile(`\b(ip-[0-9-]+)\.[a-z0-9.-]*internal\b`)

func newNaming(r play.Result) naming {
	var pairs []string
	for name, node := range r.Nodes {
		pairs = append(pairs, node, name)
	}
	for volume, claim := range r.Claims {
		pairs = append(pairs, "volume/"+volume, "claim/"+claim)
	}
	return naming{strings.NewReplacer(pairs...)}
}

func (n naming) short(text string) string {
	return nodeDomain.ReplaceAllString(n.replacer.Replace(text), "$1")
}
