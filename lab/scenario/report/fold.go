package report

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/lab/scenario/play"
)

// foldWithin is how many seconds of a scenario may lie between like events that share a line.
const foldWithin = 5

// naming says nodes by the names that the scenario gives them, and without their domain.
type naming struct{ replacer *strings.Replacer }

var nodeDomain = regexp.MustCompile(`\b(ip-[0-9-]+)\.[a-z0-9.-]*internal\b`)

func newNaming(nodes map[string]string) naming {
	var pairs []string
	for name, node := range nodes {
		pairs = append(pairs, node, name)
	}
	return naming{strings.NewReplacer(pairs...)}
}

func (n naming) short(text string) string {
	return nodeDomain.ReplaceAllString(n.replacer.Replace(text), "$1")
}

// fold puts events that say the same of several objects, close to each other, on the line of the first.
func fold(events []play.Event, names naming) []play.Event {
	var folded []play.Event
	members := map[int]int{} // index in folded → how many events share it
	for _, e := range events {
		e.Object, e.Message = names.short(e.Object), names.short(e.Message)
		at := slices.IndexFunc(folded, func(f play.Event) bool { return sameLine(f, e) })
		if at < 0 {
			folded = append(folded, e)
			members[len(folded)-1] = 1
			continue
		}
		members[at]++
		folded[at].Object = common(folded[at].Object, e.Object)
	}
	for i := range folded {
		if members[i] > 1 {
			folded[i].Object = fmt.Sprintf("%s… ×%d", strings.TrimSuffix(folded[i].Object, "…"), members[i])
		}
	}
	return folded
}

// sameLine tells whether e may stand on f's line: it says the same, a little later, of another object of the same owner.
func sameLine(f, e play.Event) bool {
	return f.Sort == e.Sort && f.Sort == play.Pod && f.Message == e.Message && e.AtSeconds-f.AtSeconds <= foldWithin &&
		f.Object != e.Object && owner(f.Object) == owner(e.Object)
}

// owner is a pod's name without the part that tells it from its siblings.
func owner(object string) string {
	object = strings.TrimSuffix(object, "…")
	return object[:strings.LastIndex(object, "-")+1]
}

// common is what two names of one owner begin with.
func common(a, b string) string {
	return owner(a) + "…"
}
