package diagnosis_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/finding"
)

// isCounted reports whether evidence is no object's: it counts objects, or adds up what the pods of a node request, or is
// what a plugin of the scheduler says of a node, named by the plugin.
func isCounted(e finding.Evidence) bool {
	return slices.Contains([]string{"Group", "Zone", "Domain"}, e.Object.Kind) || e.Field == "simulation" ||
		e.Field == "pods" || strings.HasPrefix(e.Field, "pods[") || e.Field != "" && unicode.IsUpper(rune(e.Field[0]))
}

// TestEvidenceStandsInItsObject holds each line of evidence of each golden answer to the object it names: what stands between
// punctuation in the value stands, character by character, at that field of the object, and an empty value is a field that is
// not set. Forecasts are left out: their evidence is of objects as they would be.
func TestEvidenceStandsInItsObject(t *testing.T) {
	checked := 0
	for _, pattern := range []string{"testdata/*.yaml", "testdata/*/*.yaml"} {
		inputs, err := filepath.Glob(pattern)
		if err != nil || len(inputs) == 0 {
			t.Fatalf("%s: no input (%v)", pattern, err)
		}
		for _, input := range inputs {
			t.Run(input, func(t *testing.T) {
				objects := readable(t, clustertest.Load(t, input))
				for _, e := range evidenceIn(t, strings.TrimSuffix(input, ".yaml")+".json") {
					checked++
					if err := stands(objects, e); err != nil {
						t.Errorf("%s %s: %q: %v", e.Object, e.Field, e.Value, err)
					}
				}
			})
		}
	}
	if checked == 0 {
		t.Error("no evidence found")
	}
}

// TestEvidenceCheck sees that the check above refuses what does not stand in the object.
func TestEvidenceCheck(t *testing.T) {
	objects := readable(t, clustertest.Load(t, "testdata/status/jobs.yaml"))
	for name, tc := range map[string]struct {
		kind, object, field, value string
		ok                         bool
	}{
		"as it stands":            {"Pod", "run-b", "status.phase", "Pending", true},
		"a word of kubectl's":     {"Pod", "run-b", "status.phase", "ContainerCreating", false},
		"no such condition":       {"Job", "run", "status.conditions[Failed]", "BackoffLimitExceeded", false},
		"a condition":             {"Job", "idx", "status.conditions[Failed]", "MaxFailedIndexesExceeded: Job has exceeded the specified maximal number of failed indexes", true},
		"a condition of another":  {"Job", "idx", "status.conditions[FailureTarget]", "MaxFailedIndexesExceeded", false},
		"a word more":             {"Pod", "run-b", "status.phase", "Pending for long", false},
		"an unset field":          {"Pod", "run-b", "spec.nodeName", "", true},
		"a set field as unset":    {"Pod", "run-b", "status.phase", "", false},
		"an object that is not":   {"Pod", "run-z", "status.phase", "Pending", false},
		"part of a word":          {"Pod", "run-b", "status.phase", "Pend", false},
		"an event that is not":    {"Pod", "run-b", "events[FailedMount]", "x", false},
		"a count that is not":     {"Job", "run", "status.failed", "2", false},
		"a path that is not":      {"Job", "run", "status.nothing", "2", false},
		"an object said to be no": {"Pod", "run-b", "metadata.name", "", false},
		"a label that is not":     {"Node", "n1", "metadata.labels", "!a,kubernetes.io/arch=amd64", true},
		"a label that is":         {"Node", "n1", "metadata.labels", "!kubernetes.io/arch", false},
	} {
		t.Run(name, func(t *testing.T) {
			e := finding.Evidence{Field: tc.field, Value: tc.value}
			e.Object.Kind, e.Object.Name, e.Object.Namespace = tc.kind, tc.object, "shop"
			if err := stands(objects, e); (err == nil) != tc.ok {
				t.Errorf("%v, want accepted: %v", err, tc.ok)
			}
		})
	}
}

// object is what a person who reads the object sees.
type object struct {
	kind   string
	fields map[string]any
}

func readable(t *testing.T, objects []runtime.Object) []object {
	t.Helper()
	var all []object
	for _, o := range objects {
		fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, object{o.GetObjectKind().GroupVersionKind().Kind, fields})
	}
	return all
}

// evidenceIn is all the evidence of a golden file, without that of forecasts.
func evidenceIn(t *testing.T, path string) []finding.Evidence {
	t.Helper()
	data, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return nil
	} else if err != nil {
		t.Fatal(err)
	}
	var answer any
	if err := json.Unmarshal(data, &answer); err != nil {
		t.Fatal(err)
	}
	var all []finding.Evidence
	var walk func(any)
	walk = func(in any) {
		switch in := in.(type) {
		case []any:
			for _, one := range in {
				walk(one)
			}
		case map[string]any:
			if _, forecast := in["outcome"]; forecast {
				return
			}
			if lines, ok := in["evidence"].([]any); ok {
				for _, line := range lines {
					all = append(all, evidenceFrom(t, line))
				}
			}
			for _, one := range in {
				walk(one)
			}
		}
	}
	walk(answer)
	return all
}

func evidenceFrom(t *testing.T, line any) finding.Evidence {
	t.Helper()
	data, err := json.Marshal(line)
	if err != nil {
		t.Fatal(err)
	}
	var e finding.Evidence
	if err := json.Unmarshal(data, &e); err != nil {
		t.Fatal(err)
	}
	return e
}

// stands says why evidence is not what stands in its object, nil if it is.
func stands(objects []object, e finding.Evidence) error {
	if isCounted(e) {
		return nil
	}
	var found []any
	if reason, ok := strings.CutPrefix(e.Field, "events["); ok {
		found = eventsOf(objects, e, strings.TrimSuffix(reason, "]"))
	} else if o := objectOf(objects, e); o != nil {
		found = resolve([]any{o}, e.Field)
	} else if e.Value == "" {
		return nil
	} else {
		return fmt.Errorf("the object does not exist")
	}
	words := leaves(found)
	if e.Value == "" {
		if len(words) > 0 {
			return fmt.Errorf("the field is set: %q", words)
		}
		return nil
	}
	if slices.ContainsFunc(words, func(word string) bool { return part(word, e.Value) >= 0 }) {
		return nil
	}
	if rest := without(e.Value, words); rest != "" {
		return fmt.Errorf("%q does not stand there, but %q", rest, words)
	}
	return nil
}

func objectOf(objects []object, e finding.Evidence) map[string]any {
	for _, o := range objects {
		meta := o.fields["metadata"].(map[string]any)
		if o.kind == e.Object.Kind && meta["name"] == e.Object.Name && cmp.Or(str(meta["namespace"]), e.Object.Namespace) == e.Object.Namespace {
			return o.fields
		}
	}
	return nil
}

func eventsOf(objects []object, e finding.Evidence, reason string) []any {
	var found []any
	for _, o := range objects {
		about, _ := o.fields["involvedObject"].(map[string]any)
		if o.kind == "Event" && o.fields["reason"] == reason && about["kind"] == e.Object.Kind && about["name"] == e.Object.Name {
			found = append(found, o.fields)
		}
	}
	return found
}

func str(v any) string {
	text, _ := v.(string)
	return text
}

// resolve follows a path such as status.conditions[Ready].message. In brackets stands a map's key, an index, * for all, or
// what an entry of a list is known by.
func resolve(at []any, path string) []any {
	for path != "" && len(at) > 0 {
		var step string
		step, path = cutStep(path)
		var next []any
		for _, one := range at {
			next = append(next, follow(one, step)...)
		}
		at = next
	}
	return at
}

// cutStep cuts the first step off a path; a step is a name or what stands in brackets.
func cutStep(path string) (step, rest string) {
	if path[0] == '[' {
		end := strings.Index(path, "]")
		return path[:end+1], strings.TrimPrefix(path[end+1:], ".")
	}
	end := strings.IndexAny(path, ".[")
	if end < 0 {
		return path, ""
	}
	return path[:end], strings.TrimPrefix(path[end:], ".")
}

func follow(at any, step string) []any {
	key, inBrackets := strings.CutPrefix(strings.TrimSuffix(step, "]"), "[")
	switch at := at.(type) {
	case map[string]any:
		if v, ok := at[key]; ok {
			return []any{v}
		}
	case []any:
		if i, err := strconv.Atoi(key); inBrackets && err == nil && i < len(at) {
			return []any{at[i]}
		}
		var found []any
		for _, entry := range at {
			fields, _ := entry.(map[string]any)
			named := slices.ContainsFunc([]string{"name", "key", "type", "topologyKey", "containerName"}, func(by string) bool { return fields[by] == key })
			if key == "*" || named {
				found = append(found, entry)
			}
		}
		return found
	}
	return nil
}

// leaves are the words that stand in values: the scalars, and the names of fields that are set. An operator of a selector is
// written as kubectl writes it.
func leaves(values []any) []string {
	var all []string
	for _, v := range values {
		switch v := v.(type) {
		case nil:
		case map[string]any:
			for key, one := range v {
				all = append(all, key)
				if key == "matchLabelExpressions" {
					all = append(all, "in") // These know no other operator, and name none.
				}
				all = append(all, leaves([]any{one})...)
			}
		case []any:
			all = append(all, leaves(v)...)
		case string:
			all = append(all, strings.TrimSpace(v))
			if slices.Contains([]string{"In", "NotIn"}, v) {
				all = append(all, strings.ToLower(v))
			}
		default:
			all = append(all, fmt.Sprint(v))
		}
	}
	return slices.DeleteFunc(all, func(word string) bool { return word == "" })
}

// without takes the words, the longest first, out of a text, each where it is not part of another, and gives back what is
// left and is not punctuation.
func without(text string, words []string) string {
	// "!zone" is a label that a node has not got.
	for entry := range strings.SplitSeq(text, ",") {
		if absent, ok := strings.CutPrefix(entry, "!"); ok && !slices.Contains(words, absent) {
			text = strings.Replace(text, entry, "", 1)
		} else if ok {
			return entry
		}
	}
	slices.SortFunc(words, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	for _, word := range words {
		for i := part(text, word); i >= 0; i = part(text, word) {
			text = text[:i] + " " + text[i+len(word):]
		}
	}
	return strings.TrimFunc(text, punctuation)
}

// part is where in a text some words stand, not cut out of longer ones; -1 if they do not.
func part(text, words string) int {
	for from := 0; ; {
		i := strings.Index(text[from:], words)
		if i < 0 {
			return -1
		}
		i += from
		if !inWord(text[:i], true) && !inWord(text[i+len(words):], false) {
			return i
		}
		from = i + 1
	}
}

// inWord reports whether the text goes on with a letter or digit.
func inWord(text string, backward bool) bool {
	if text == "" {
		return false
	}
	r := []rune(text)
	next := r[0]
	if backward {
		next = r[len(r)-1]
	}
	return unicode.IsLetter(next) || unicode.IsDigit(next)
}

func punctuation(r rune) bool { return strings.ContainsRune(" ,:;=()×/|!", r) }
