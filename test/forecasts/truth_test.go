package forecasts

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// questionsPerWorld is how many questions are asked of a world, one after the other, before the next is made up.
const questionsPerWorld = 5

// sample are the worlds that every run of the tests plays, and how many questions each is asked. They are of those that agree.
var sample = []struct {
	seed      uint64
	questions int
}{{702, 5}}

// TestTruthSample plays a few questions.
func TestTruthSample(t *testing.T) {
	testbed.Need(t)
	s := &score{}
	b := newGeneratedFixture(t)
	for _, world := range sample {
		b.playWorld(t, s, world.seed, world.questions)
	}
	s.table(t)
	for _, r := range s.results {
		if r.verdict == disagreed {
			t.Error(r.text())
		}
	}
}

// TestTruth plays as many questions as TRUTH_QUESTIONS says, of worlds from TRUTH_SEED on, on TRUTH_LABS labs at once: much of the time
// each waits. Disagreements are kept in the folder TRUTH_KEEP, if that is given.
func TestTruth(t *testing.T) {
	questions, _ := strconv.Atoi(os.Getenv("TRUTH_QUESTIONS"))
	if questions == 0 {
		t.Skip("played by hand: make truth")
	}
	first, err := strconv.ParseUint(cmp.Or(os.Getenv("TRUTH_SEED"), "1"), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	labs, err := strconv.Atoi(cmp.Or(os.Getenv("TRUTH_LABS"), "1"))
	if err != nil {
		t.Fatal(err)
	}
	s := &score{folder: os.Getenv("TRUTH_KEEP")}
	worlds := make(chan uint64)
	go func() {
		defer close(worlds)
		for seed := first; !s.hasEnough(questions); seed++ {
			worlds <- seed
		}
	}()
	t.Run("labs", func(t *testing.T) {
		for lab := range labs {
			t.Run(fmt.Sprint(lab), func(t *testing.T) {
				t.Parallel()
				b := newGeneratedFixture(t)
				for seed := range worlds {
					b.playWorld(t, s, seed, questionsPerWorld)
				}
			})
		}
	})
	s.table(t)
}

// playWorld generates a world and asks questions about it.
func (b *fixture) playWorld(t *testing.T, s *score, seed uint64, questions int) {
	whole := t.Run(fmt.Sprint("world ", seed), func(t *testing.T) {
		b := b.within(t)
		w := newWorld(seed)
		defer b.clear(&w)
		b.build(&w)
		a := &questionGenerator{random: newRandom(seed, 1), world: &w}
		for number := range questions {
			a.random, a.now, a.groups = newRandom(seed, uint64(number+1)), b.snapshot(), b.desired()
			q := a.draw()
			r := b.answer(q)
			r.seed, r.number = seed, number+1
			s.add(t, r)
			if q.last {
				return
			}
		}
	})
	if !whole {
		s.addFailure()
	}
}

type verdict string

const (
	agreed      verdict = "agreed"
	disagreed   verdict = "disagreed"
	notModelled verdict = "not modelled, and said so"
)

// result is a question and how its forecast was.
type result struct {
	seed        uint64
	number      int
	q           question
	verdict     verdict
	differences []string
	reality     reality
	futures     int
	took        time.Duration
	objects     []byte
}

// maxReadings bounds how often a cluster that changes by itself is read anew.
const maxReadings = 5

// answer foretells a question, does what was asked, and compares.
func (b *fixture) answer(q question) result {
	b.Helper()
	begin := time.Now()
	if q.prepare != nil {
		q.prepare(b)
	}
	before := b.snapshot()
	if q.prepare != nil { // A pod that starts would be taken for one that does not get ready.
		b.await("nothing starts", func() error {
			before = b.snapshot()
			return starts(before)
		})
	}
	var objects []byte
	var answered answer
	for range maxReadings { // All are of the same cluster, which may change by itself.
		state, err := b.state()
		b.must(err)
		before, objects, answered = b.snapshot(), b.raw(), b.whatif(q)
		if now, err := b.state(); err == nil && now == state {
			break
		}
	}
	f, err := forecastOf(b.Context(), before, b.line(q))
	b.must(err)
	r := b.perform(q, before)
	if q.clean != nil {
		q.clean(b)
		b.must(b.settle(func(b *fixture) error { return b.collectPods() }))
	}
	differences, err := f.differences(b.Context(), r)
	b.must(err)
	if len(differences) == 0 {
		differences = f.omissions(r, answered)
	}
	result := result{q: q, verdict: agreed, differences: differences, reality: r, futures: len(f.endings), took: time.Since(begin), objects: objects}
	switch {
	case len(differences) > 0 && len(f.gaps) > 0:
		result.verdict, result.differences = notModelled, slices.Concat(f.gaps, differences)
	case len(differences) > 0:
		result.verdict = disagreed
	}
	return result
}

// starts says that a pod starts on a node that answers, and has for less than it may take.
func starts(s *cluster.Snapshot) error {
	for _, pod := range active(s) {
		node := s.Node(pod.Spec.NodeName)
		if node != nil && readyNode(node) && condition(pod, corev1.PodReady) != corev1.ConditionTrue && s.Taken().Sub(pod.CreationTimestamp.Time) < 5*time.Second {
			return fmt.Errorf("pod %s starts", pod.Name)
		}
	}
	return nil
}

// perform makes the change, and is what came of it.
func (b *fixture) perform(q question, before *cluster.Snapshot) reality {
	b.Helper()
	for _, step := range q.steps {
		err := step.begin(b)
		if no, is := err.(refusal); is { //nolint:errorlint // It is never wrapped.
			b.must(b.settle(nil))
			return reality{Refused: no.says}
		}
		b.must(err)
		b.must(b.settle(step.goOn))
	}
	return realityOf(before, b.snapshot(), b.lastSeen)
}

// score are the results so far.
type score struct {
	mu       sync.Mutex
	results  []result
	failures int
	// folder is the folder for disagreements, empty if they are not kept.
	folder string
}

func (s *score) add(t *testing.T, r result) {
	t.Helper()
	s.mu.Lock()
	s.results = append(s.results, r)
	s.mu.Unlock()
	t.Log(r.text())
	if r.verdict != agreed && s.folder != "" {
		if err := r.writeTo(s.folder); err != nil {
			t.Error(err)
		}
	}
}

// text is the question and its verdict and, unless it agreed, what differed and how to ask it again.
func (r result) text() string {
	var text strings.Builder
	_, _ = fmt.Fprintf(&text, "%-11s %d/%d %s: naosu whatif %s (%d futures, %.1f s)", r.verdict, r.seed, r.number, r.q.kind, strings.Join(r.q.line, " "), r.futures, r.took.Seconds())
	if r.verdict == agreed {
		return text.String()
	}
	for _, name := range slices.Sorted(maps.Keys(r.q.files)) {
		_, _ = fmt.Fprintf(&text, "\n%s:\n%s", name, r.q.files[name])
	}
	_, _ = fmt.Fprintf(&text, "\n  %s\n  again: make truth QUESTIONS=%d SEED=%d", strings.Join(r.differences, "\n  "), r.number, r.seed)
	return text.String()
}

// addFailure notes that a lab failed, and with it a world.
func (s *score) addFailure() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.failures++
}

// maxFailures is how many worlds the lab may fail at.
const maxFailures = 5

// hasEnough says whether so many questions have been asked, or the lab failed too often.
func (s *score) hasEnough(questions int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.results) >= questions || s.failures > maxFailures
}

func (s *score) of(v verdict) int {
	count := 0
	for _, r := range s.results {
		if r.verdict == v {
			count++
		}
	}
	return count
}

// table is how many agreed, by kind of change.
func (s *score) table(t *testing.T) {
	t.Helper()
	counts := map[string]map[verdict]int{}
	var kinds []string
	var took time.Duration
	for _, r := range s.results {
		if counts[r.q.kind] == nil {
			counts[r.q.kind] = map[verdict]int{}
			kinds = append(kinds, r.q.kind)
		}
		counts[r.q.kind][r.verdict]++
		took += r.took
	}
	slices.Sort(kinds)
	var text strings.Builder
	w := tabwriter.NewWriter(&text, 0, 1, 2, ' ', 0)
	_, _ = fmt.Fprintf(w, "change\tquestions\t%s\t%s\t%s\n", agreed, disagreed, notModelled)
	for _, kind := range kinds {
		c := counts[kind]
		_, _ = fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\n", kind, c[agreed]+c[disagreed]+c[notModelled], c[agreed], c[disagreed], c[notModelled])
	}
	_, _ = fmt.Fprintf(w, "all\t%d\t%d\t%d\t%d\n", len(s.results), s.of(agreed), s.of(disagreed), s.of(notModelled))
	_ = w.Flush()
	if judged := s.of(agreed) + s.of(disagreed); judged > 0 {
		t.Logf("\n%s%.1f %% of what is modelled agreed; %.1f s a question", text.String(), 100*float64(s.of(agreed))/float64(judged), took.Seconds()/float64(len(s.results)))
	}
}
