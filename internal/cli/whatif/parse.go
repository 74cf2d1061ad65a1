package whatif

import (
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/json"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// question is one change as it was typed.
type question struct {
	verb  string
	args  []string
	flags map[string]string
	// used are the flags that the verb has asked for.
	used []string
	// world is where a thing that names no namespace is looked for in all of them; nil looks in one only.
	world *cluster.Snapshot
}

// split cuts the line into changes: a comma, alone or at the end of a word or of a flag's value, ends one. Flags belong to the change whose
// words they stand behind.
func split(args []string, flags *changeFlags) []*question {
	var questions []*question
	var words []string
	begin := -1 // Flags before the first word are the first change's.
	end := func(at int) {
		if len(words) > 0 {
			questions = append(questions, &question{verb: words[0], args: words[1:], flags: flags.between(begin, at)})
		}
		begin, words = at, nil
	}
	for i, arg := range args {
		word, ends := strings.CutSuffix(arg, ",")
		if word != "" {
			words = append(words, word)
		}
		if ends || flags.ends[i+1] {
			end(i + 1)
		}
	}
	end(len(args))
	return questions
}

// unspaced are the kinds that are in no namespace.
var unspaced = []string{"Node", "Zone", "Group", "PriorityClass", "PersistentVolume", "Subnet", "NetworkInterface"}

// verbs make a change of what was typed. The namespace is that of things that name none.
var verbs = map[string]func(q *question, namespace string) (change.Change, error){
	"lose":      lose,
	"drain":     onNode(func(n string) change.Change { return change.DrainNode{Node: n} }),
	"cordon":    onNode(func(n string) change.Change { return change.Cordon{Node: n} }),
	"uncordon":  onNode(func(n string) change.Change { return change.Uncordon{Node: n} }),
	"taint":     taint,
	"untaint":   taint,
	"evict":     evict,
	"delete":    deleteOne,
	"grow":      grow,
	"add-nodes": addNodes,
	"scale":     scale,
	"rotate":    rotate,
	"patch":     patch,
	"tag":       tagSubnet,
}

// verbNames are all of them, in the order of the help.
var verbNames = []string{
	"lose", "drain", "grow", "add-nodes", "scale", "rotate", "apply", "cordon", "uncordon", "taint", "untaint", "evict", "delete", "patch", "tag",
}

func lose(q *question, _ string) (change.Change, error) {
	ref, err := q.subject("", "Node", "Zone", "Group")
	switch ref.Kind {
	case "Node":
		return change.LoseNode{Node: ref.Name}, err
	case "Zone":
		return change.LoseZone{Zone: ref.Name}, err
	default:
		return change.LoseGroup{Group: ref.Name}, err
	}
}

func onNode(make func(string) change.Change) func(*question, string) (change.Change, error) {
	return func(q *question, _ string) (change.Change, error) {
		ref, err := q.subject("", "Node")
		return make(ref.Name), err
	}
}

func taint(q *question, _ string) (change.Change, error) {
	last := len(q.args) - 1
	if last < 1 {
		return nil, exit.BadInput(q.verb, sentence.ErrMissing(), sentence.ErrTaintRemedy())
	}
	key, effect, _ := strings.Cut(q.args[last], ":")
	key, value, _ := strings.Cut(key, "=")
	t := corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(strings.TrimSuffix(effect, "-"))}
	effects := []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute}
	if !slices.Contains(effects, t.Effect) && (q.verb == "taint" || t.Effect != "") {
		return nil, exit.BadInput("taint", sentence.ErrNotOneOf(strconv.Quote(q.args[last])),
			sentence.ErrTaintRemedy())
	}
	node := question{verb: q.verb, args: q.args[:last]}
	ref, err := node.subject("", "Node")
	if q.verb == "untaint" {
		return change.Untaint{Node: ref.Name, Taint: t}, err
	}
	return change.Taint{Node: ref.Name, Taint: t}, err
}

func evict(q *question, namespace string) (change.Change, error) {
	ref, err := q.subject(namespace, "Pod")
	return change.Evict{Namespace: ref.Namespace, Name: ref.Name}, err
}

func deleteOne(q *question, namespace string) (change.Change, error) {
	ref, err := q.subject(namespace, "Pod", "NetworkInterface")
	if ref.Kind == "NetworkInterface" {
		return change.DeleteInterface{Interface: ref.Name}, err
	}
	return change.DeletePod{Namespace: ref.Namespace, Name: ref.Name, Force: q.flag("force") == "true"}, err
}

// tagSubnet reads the one tag that can be simulated.
func tagSubnet(q *question, _ string) (change.Change, error) {
	last := len(q.args) - 1
	if last < 1 {
		return nil, exit.BadInput(q.verb, sentence.ErrMissing(), sentence.ErrTagRemedy(change.CNITag))
	}
	if q.args[last] != change.CNITag {
		return nil, exit.BadInput(q.verb, sentence.ErrNotOneOf(strconv.Quote(q.args[last])), sentence.ErrTagRemedy(change.CNITag))
	}
	subnet := question{verb: q.verb, args: q.args[:last]}
	ref, err := subnet.subject("", "Subnet")
	return change.TagSubnet{Subnet: ref.Name}, err
}

func grow(q *question, namespace string) (change.Change, error) {
	ref, err := q.subject(namespace, "DaemonSet")
	if err != nil {
		return nil, err
	}
	c := change.GrowDaemonSet{Namespace: ref.Namespace, Name: ref.Name, Container: q.flag("container"), Requests: corev1.ResourceList{}}
	for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
		value := q.flag(string(name))
		if value == "" {
			continue
		}
		quantity, err := resource.ParseQuantity(value)
		if err != nil || quantity.Sign() < 0 {
			return nil, exit.BadInput("--"+string(name), sentence.ErrNotOneOf(strconv.Quote(value)),
				sentence.ErrQuantityRemedy())
		}
		c.Requests[name] = quantity
	}
	return c, nil // Without amounts it is its vertical autoscaler's next step.
}

func addNodes(q *question, _ string) (change.Change, error) {
	if len(q.args) != 1 {
		return nil, q.bad(sentence.ErrMissing())
	}
	count, err := number("add-nodes", q.args[0], 1)
	return change.AddNodes{Count: count, Group: q.flag("group"), Zone: q.flag("zone")}, err
}

func scale(q *question, namespace string) (change.Change, error) {
	ref, err := q.subject(namespace, "Group", "Deployment", "StatefulSet", "ReplicaSet")
	if err != nil {
		return nil, err
	}
	if ref.Kind == "Group" {
		to, err := number("--to", q.flag("to"), 0)
		return change.ResizeGroup{Group: ref.Name, To: to, Zones: names(q.flag("zones"))}, err
	}
	replicas, err := number("--replicas", q.flag("replicas"), 0)
	return change.ScaleWorkload{Kind: ref.Kind, Namespace: ref.Namespace, Name: ref.Name, Replicas: replicas}, err
}

func rotate(q *question, _ string) (change.Change, error) {
	ref, err := q.subject("", "Group")
	if err != nil {
		return nil, err
	}
	c := change.RotateGroup{Group: ref.Name, Zones: names(q.flag("zones"))}
	if to := q.flag("to"); to != "" {
		c.To, err = number("--to", to, 1)
	}
	return c, err
}

func patch(q *question, namespace string) (change.Change, error) {
	ref, err := q.subject(namespace, "Node", "Pod", "DaemonSet", "Deployment", "StatefulSet", "PodDisruptionBudget", "PriorityClass",
		"PersistentVolumeClaim", "PersistentVolume", "Job", "ReplicaSet")
	if err != nil {
		return nil, err
	}
	text := q.flag("patch")
	if text == "" {
		return nil, exit.BadInput("--patch", sentence.ErrMissing(), sentence.ErrPatchRemedy())
	}
	var fields map[string]any
	if err := json.Unmarshal([]byte(text), &fields); err != nil {
		return nil, exit.BadInput("--patch", sentence.ErrFlag(err.Error()), sentence.ErrPatchRemedy())
	}
	return change.Patch{Object: ref, Patch: text}, nil
}

// flag is a flag of the change, empty if it was not given.
func (q *question) flag(name string) string {
	q.used = append(q.used, name)
	return q.flags[name]
}

// subject reads what is changed: kind/name, kind name, or namespace/kind/name.
func (q *question) subject(namespace string, allowed ...string) (change.Ref, error) {
	if i := slices.IndexFunc(q.args, func(word string) bool { return slices.Contains(verbNames, word) }); i > 0 {
		return change.Ref{}, exit.BadInput(q.verb, sentence.ErrNoComma(q.args[i]),
			sentence.ErrCommaRemedy())
	}
	ref, ok := input.ParseResource(q.args, allowed...)
	switch {
	case !ok:
		return change.Ref{}, q.bad(sentence.ErrNoName(strings.Join(q.args, " ")), allowed...)
	case !slices.Contains(allowed, ref.Kind):
		return change.Ref{}, q.bad(sentence.ErrNotOneOf(strconv.Quote(ref.Kind)), allowed...)
	}
	named := ref.Namespace != ""
	if !named {
		ref.Namespace = namespace
	}
	if slices.Contains(unspaced, ref.Kind) {
		ref.Namespace = ""
	} else if homes := input.Namesakes(q.world, ref); !named && len(homes) == 1 {
		ref.Namespace = homes[0]
	}
	return ref, nil
}

// bad is what is wrong with the words of the change, and how it is asked.
func (q *question) bad(problem message.Sentence, allowed ...string) error {
	choices := message.List{}
	for _, kind := range allowed {
		choices = append(choices, strings.ToLower(kind)+"/NAME")
	}
	return exit.BadInput(q.verb, problem, sentence.ErrAskWhatif(q.verb, choices))
}

// number reads a count of at least so many.
func number(field, text string, least int) (int, error) {
	if text == "" {
		return 0, exit.BadInput(field, sentence.ErrMissing(), sentence.ErrNumberRemedy(least, mostCount))
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > mostCount {
		return 0, exit.BadInput(field, sentence.ErrNoNumber(strconv.Quote(text)),
			sentence.ErrNumberRemedy(least, mostCount))
	}
	return n, nil
}

// mostCount is more than any cluster has.
const mostCount = 100_000

// names reads a list with commas.
func names(list string) []string {
	var all []string
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name != "" {
			all = append(all, name)
		}
	}
	return all
}
