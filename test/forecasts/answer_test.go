package forecasts

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/whatif"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/test/program"
)

// reality is what came of a question.
type reality struct {
	// Refused is what the cluster had against the change; empty if it took it.
	Refused string `json:"refused,omitempty"`
	// Ending is how it ended.
	Ending ending `json:"ending"`
	// Nodes are where each workload has pods now, counted: nodes by name, or by zone if they are new.
	Nodes map[string][]string `json:"nodes"`
	// Worse is what must have been reported of each workload: that pods wait that did not, or were lost or preempted.
	Worse map[string][]string `json:"worse,omitempty"`
}

// seeds of the answer that a person would read.
const answerSeeds = 20

// answer is the answer of the shipped naosu.
type answer struct {
	refused string
	// lists are the workloads that each list of the answer has pods of.
	lists map[string]map[string]bool
}

// whatif runs the shipped naosu on the cluster as it is, as a person would.
func (b *fixture) whatif(q question) answer {
	b.Helper()
	line := append([]string{"whatif"}, b.line(q)...)
	line = append(line, "--seeds", fmt.Sprint(answerSeeds), "-o", "json", "--kubeconfig", b.file("kubeconfig"))
	command := exec.CommandContext(b.Context(), program.Need(b.T, "naosu"), line...)
	var out, complaint bytes.Buffer
	command.Stdout, command.Stderr = &out, &complaint
	if err := command.Run(); err != nil {
		if exit := (&exec.ExitError{}); !errors.As(err, &exit) || strings.Contains(complaint.String(), "panic") {
			b.Fatalf("naosu %v: %v\n%s", line, err, complaint.String())
		}
		return answer{refused: strings.TrimSpace(complaint.String())}
	}
	var printed struct {
		Outcome map[string]json.RawMessage `json:"outcome"`
	}
	b.must(json.Unmarshal(out.Bytes(), &printed))
	t := answer{lists: map[string]map[string]bool{}}
	for list, rows := range printed.Outcome {
		var pods []struct {
			Pod struct{ Name string } `json:"pod"`
		}
		if list == "counts" {
			continue
		}
		b.must(json.Unmarshal(rows, &pods))
		t.lists[list] = map[string]bool{}
		for _, row := range pods {
			t.lists[list][workloadOf(row.Pod.Name)] = true
		}
	}
	return t
}

// workloadOf is the workload of a pod's name: no name of a workload has a dash.
func workloadOf(pod string) string {
	workload, _, _ := strings.Cut(pod, "-")
	return workload
}

// line is a question's, with its files where they are.
func (b *fixture) line(q question) []string {
	b.Helper()
	line, err := inFolder(b.folder, q.line, q.files)
	b.must(err)
	return line
}

// inFolder writes the files of a line, and is the line that names them there.
func inFolder(folder string, line []string, files map[string]string) ([]string, error) {
	line = slices.Clone(line)
	for i, word := range line {
		if text, is := files[word]; is {
			line[i] = filepath.Join(folder, word)
			if err := os.WriteFile(line[i], []byte(text), 0o600); err != nil {
				return nil, err
			}
		}
	}
	return line, nil
}

// forecast are futures of a question, as many as were played so far.
type forecast struct {
	before *cluster.Snapshot
	judge  *scheduling.Judge
	futures
	// refused is what naosu has against the question.
	refused string
	// gaps are what it said that it leaves out and that may bear on what comes.
	gaps []string
	line []string
}

// forecastOf is what naosu foretells of a line about a cluster, in few futures.
func forecastOf(ctx context.Context, before *cluster.Snapshot, line []string) (*forecast, error) {
	judge, err := scheduling.New(ctx, before, scheduling.Options{})
	if err != nil {
		return nil, err
	}
	f := &forecast{before: before, judge: judge, line: line}
	return f, f.play(ctx, fewFutures)
}

// play plays so many futures, those played before among them.
func (f *forecast) play(ctx context.Context, seeds int) error {
	f.futures = futures{nodes: map[string]map[string]int{}}
	changes, err := whatif.Changes(f.line, nil, plain, f.before)
	if err != nil {
		f.refused = err.Error()
		return nil //nolint:nilerr // That a question is refused is an answer.
	}
	gaps := map[string]bool{}
	err = simulation.EachFuture(ctx, f.judge, changes, simulation.Options{Seeds: seeds}, func(o outcome.Outcome) error {
		f.endings = append(f.endings, foreseen(f.before, o))
		for workload, list := range nodesOf(f.before, o.World) {
			if f.nodes[workload] == nil {
				f.nodes[workload] = map[string]int{}
			}
			for _, place := range slices.Compact(list) {
				f.nodes[workload][place]++
			}
		}
		for _, gap := range o.NotModelled {
			if !slices.Contains(ignoredGaps, gap.Why.ID) {
				gaps[message.English().Say(gap.Why)] = true
			}
		}
		return nil
	})
	if unknown := (outcome.UnknownError{}); errors.As(err, &unknown) {
		f.refused = err.Error()
		return nil
	}
	if refused := (outcome.RefusedError{}); errors.As(err, &refused) {
		f.refused = err.Error()
		return nil
	}
	if patch := (outcome.PatchError{}); errors.As(err, &patch) {
		f.refused = err.Error()
		return nil
	}
	f.gaps = slices.Sorted(maps.Keys(gaps))
	return err
}

// ignoredGaps are gaps that are in nearly every answer or are forecasts themselves: what differs all the same is a disagreement.
var ignoredGaps = []message.ID{
	message.GapAdmissionUnread, message.GapAutoscaling, message.GapTimes, message.GapRollout, message.GapOrdered, message.GapOnDelete, message.GapChoice, message.GapTie,
}

// Reality is held against few futures first, since mostly it is one of them. That it is none is believed of enough futures, once
// the chance of yet another is small, or of so many that there is no end to them.
const (
	fewFutures, enoughFutures, endlessFutures = 60, 240, 3840
	maxChanceOfAnother                        = 0.002
)

// differences plays futures until reality is one of them, or surely is none. It returns what of it was not forecast.
func (f *forecast) differences(ctx context.Context, r reality) ([]string, error) {
	if (r.Refused == "") != (f.refused == "") {
		if r.Refused != "" {
			return []string{"the cluster refuses it, and naosu does not: " + r.Refused}, nil
		}
		return []string{"naosu refuses it, and the cluster does not: " + f.refused}, nil
	}
	if r.Refused != "" {
		return nil, nil
	}
	for seeds := fewFutures; ; {
		differences := r.Ending.differences(f.endings)
		for workload, list := range r.Nodes {
			for _, place := range slices.Compact(slices.Sorted(slices.Values(list))) {
				if f.nodes[workload][place] == 0 {
					differences = append(differences, fmt.Sprintf("%s: a pod is on %s; forecast (and in how many futures): %v", workload, place, f.nodes[workload]))
				}
			}
		}
		if len(differences) == 0 || seeds >= endlessFutures || seeds >= enoughFutures && f.chanceOfAnother() <= maxChanceOfAnother {
			return differences, nil
		}
		seeds *= 4
		if err := f.play(ctx, seeds); err != nil {
			return nil, err
		}
	}
}

// omissions says what is worse in reality, came so in a good part of the futures, and is nowhere in the answer.
func (f *forecast) omissions(r reality, t answer) []string {
	var differences []string
	if (t.refused == "") != (f.refused == "") {
		return []string{"naosu's answer is " + t.refused + ", its library's " + f.refused}
	}
	if t.refused != "" || r.Refused != "" {
		return nil
	}
	lists := map[string][]string{"waits": {"waiting", "delayed"}, "lost": {"lost", "ended", "preempted"}, "preempted": {"preempted"}}
	for _, workload := range slices.Sorted(maps.Keys(r.Worse)) {
		// As it came must have been likely enough to be among the answer's futures.
		share := float64(countOf(f.endings, func(e ending) string { return e.Workloads[workload] })[r.Ending.Workloads[workload]]) / float64(len(f.endings))
		for _, what := range r.Worse[workload] {
			if what == preempted { // It may end in the same way without.
				share = min(share, f.shareOfPreempted(workload))
			}
			if share > 0.4 && !slices.ContainsFunc(lists[what], func(list string) bool { return t.lists[list][workload] }) {
				differences = append(differences, fmt.Sprintf("%s %s in reality and in %.0f %% of the futures, and no row of the answer says so", workload, what, 100*share))
			}
		}
	}
	return differences
}

// shareOfPreempted is the share of the futures in which a pod of a workload is preempted.
func (f *forecast) shareOfPreempted(workload string) float64 {
	count := 0
	for _, e := range f.endings {
		for place, fates := range e.Fates {
			if strings.HasPrefix(place, workload+" ") && strings.Contains(fates, preempted) {
				count++
				break
			}
		}
	}
	return float64(count) / float64(len(f.endings))
}

const (
	gone      = "gone"
	preempted = "preempted"
)

// foreseen is the ending of a future.
func foreseen(before *cluster.Snapshot, o outcome.Outcome) ending {
	fates := map[string]string{}
	for _, fate := range o.Fates {
		switch {
		case fate.Kind == outcome.Preempted:
			fates[fate.Pod.Name] = preempted
		case fates[fate.Pod.Name] == preempted: // What replaces a StatefulSet's pod has its name, and a fate of its own.
		case fate.Kind == outcome.Waiting && fate.To != "" && fate.To == fate.From && fate.Why.ID != message.FateAttach: // It is held where it is.
			if now := o.World.Pod(fate.Pod.Namespace, fate.Pod.Name); now != nil && now.DeletionTimestamp != nil {
				fates[fate.Pod.Name] = gone
			}
		case isStill(before, o.World, fate.Pod): // It starts late where it is.
		default:
			fates[fate.Pod.Name] = gone
		}
	}
	return endingOf(before, o.World, func(pod *corev1.Pod) string {
		if fate := fates[pod.Name]; fate != "" {
			return fate
		}
		return stays
	})
}

// isStill says whether a pod is the same as before, and stays.
func isStill(before, after *cluster.Snapshot, ref change.Ref) bool {
	was, is := before.Pod(ref.Namespace, ref.Name), after.Pod(ref.Namespace, ref.Name)
	return was != nil && is != nil && was.UID == is.UID && is.DeletionTimestamp == nil && !finished(is)
}

// realityOf is what became of a cluster.
func realityOf(before, after *cluster.Snapshot, last func(*corev1.Pod) *corev1.Pod) reality {
	fate := func(pod *corev1.Pod) string {
		now := after.Pod(pod.Namespace, pod.Name)
		switch {
		case now != nil && now.UID == pod.UID && now.DeletionTimestamp == nil && !finished(now):
			return stays
		case slices.ContainsFunc(last(pod).Status.Conditions, func(c corev1.PodCondition) bool {
			return c.Type == corev1.DisruptionTarget && c.Reason == corev1.PodReasonPreemptionByScheduler
		}):
			return preempted
		default:
			return gone
		}
	}
	r := reality{Ending: endingOf(before, after, fate), Nodes: nodesOf(before, after), Worse: map[string][]string{}}
	waited, lacked, waits := waiting(before), lacking(before), waiting(after)
	running, runs := running(before), running(after)
	for workload := range waits {
		if waits[workload] > waited[workload]+lacked[workload] {
			r.Worse[workload] = append(r.Worse[workload], "waits")
		}
	}
	for workload := range running {
		if runs[workload]+waits[workload] == 0 && strings.HasPrefix(workload, "lone") {
			r.Worse[workload] = append(r.Worse[workload], "lost")
		}
	}
	for place, fates := range r.Ending.Fates {
		workload, _, _ := strings.Cut(place, " ")
		if strings.Contains(fates, preempted) && !slices.Contains(r.Worse[workload], preempted) {
			r.Worse[workload] = append(r.Worse[workload], preempted)
		}
	}
	return r
}

// endingOf is newEnding with what waits on a node told from what runs there, and without pods that have finished.
func endingOf(before, after *cluster.Snapshot, fate func(*corev1.Pod) string) ending {
	e := ending{Fates: map[string]string{}, Workloads: map[string]string{}}
	byNode := map[string][]string{}
	for _, pod := range active(before) {
		if pod.Spec.NodeName != "" {
			place := pod.Labels["app"] + " on " + pod.Spec.NodeName
			byNode[place] = append(byNode[place], fate(pod))
		}
	}
	for place, list := range byNode {
		e.Fates[place] = counted(list)
	}
	byWorkload := map[string][]string{}
	for _, pod := range active(before) {
		byWorkload[pod.Labels["app"]] = nil
	}
	for _, pod := range active(after) {
		byWorkload[pod.Labels["app"]] = append(byWorkload[pod.Labels["app"]], placeOf(pod, before, after, byZone))
	}
	for workload, list := range byWorkload {
		e.Workloads[workload] = counted(list)
	}
	return e
}

// active are the pods that have neither finished nor been marked for deletion.
func active(s *cluster.Snapshot) []*corev1.Pod {
	return slices.DeleteFunc(slices.Clone(s.Pods()), func(pod *corev1.Pod) bool {
		return pod.DeletionTimestamp != nil || finished(pod) || pod.Labels["app"] == marker
	})
}

func placeOf(pod *corev1.Pod, before, after *cluster.Snapshot, call placing) string {
	switch {
	case pod.Spec.NodeName == "":
		return "waiting"
	case condition(pod, corev1.PodReady) != corev1.ConditionTrue:
		return "not ready in " + call(pod.Spec.NodeName, before, after)
	default:
		return call(pod.Spec.NodeName, before, after)
	}
}

// nodesOf are the nodes that workloads have pods on, in order.
func nodesOf(before, after *cluster.Snapshot) map[string][]string {
	found := map[string][]string{}
	for _, pod := range active(after) {
		if pod.Spec.NodeName != "" {
			found[pod.Labels["app"]] = append(found[pod.Labels["app"]], byNode(pod.Spec.NodeName, before, after))
		}
	}
	for _, list := range found {
		slices.Sort(list)
	}
	return found
}

func waiting(s *cluster.Snapshot) map[string]int {
	return perWorkload(s, func(pod *corev1.Pod) bool {
		return pod.Spec.NodeName == "" || condition(pod, corev1.PodReady) != corev1.ConditionTrue
	})
}

func running(s *cluster.Snapshot) map[string]int {
	return perWorkload(s, func(pod *corev1.Pod) bool {
		return pod.Spec.NodeName != "" && condition(pod, corev1.PodReady) == corev1.ConditionTrue
	})
}

// lacking are the pods that ReplicaSets and StatefulSets want and do not have, such as those that a quota refuses: what waits in the place
// of one has become no worse.
func lacking(s *cluster.Snapshot) map[string]int {
	have := perWorkload(s, func(*corev1.Pod) bool { return true })
	counts := map[string]int{}
	for _, rs := range s.ReplicaSets() {
		counts[rs.Spec.Template.Labels["app"]] += int(*rs.Spec.Replicas)
	}
	for _, set := range s.StatefulSets() {
		counts[set.Name] += int(*set.Spec.Replicas)
	}
	for workload := range counts {
		counts[workload] = max(0, counts[workload]-have[workload])
	}
	return counts
}

func perWorkload(s *cluster.Snapshot, is func(*corev1.Pod) bool) map[string]int {
	counts := map[string]int{}
	for _, pod := range active(s) {
		if is(pod) {
			counts[pod.Labels["app"]]++
		}
	}
	return counts
}
