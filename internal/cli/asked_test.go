package cli

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/golden"
)

// taken is later than every time in the files.
var taken = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

// asked is a command that a file's header gives, as a person would type it, and words that its answer must hold.
type asked struct {
	args, says []string
}

// TestAsked asks naosu about the cluster of each file what the file's header asks ("# $ naosu why pod/web"), sees that the
// answer holds what the header promises ("# says: …"), and compares all of it with the file's .json: what naosu says of
// each state a thing may be in, and of the issues of other projects that it was built to answer.
func TestAsked(t *testing.T) {
	for _, folder := range []string{"upstream", "status"} {
		inputs, err := filepath.Glob("../diagnosis/testdata/" + folder + "/*.yaml")
		if err != nil || len(inputs) == 0 {
			t.Fatalf("no input found: %v", err)
		}
		for _, input := range inputs {
			t.Run(folder+"/"+strings.TrimSuffix(filepath.Base(input), ".yaml"), func(t *testing.T) {
				snapshot := snapshotOf(t, input)
				var answers []any
				for _, q := range header(t, input) {
					answers = append(answers, ask(t, snapshot, q))
				}
				compareAnswers(t, strings.TrimSuffix(input, ".yaml")+".json", answers)
			})
		}
	}
}

// snapshotOf writes a file's cluster, everything in it known, as `naosu snapshot` would have.
func snapshotOf(t *testing.T, input string) string {
	t.Helper()
	known := map[cluster.Kind]cluster.Knowledge{}
	for _, kind := range cluster.Kinds() {
		known[kind] = cluster.Complete
	}
	var file bytes.Buffer
	world := cluster.New(cluster.Contents{Objects: clustertest.Load(t, input), Knowledge: known, Taken: taken, Server: "v1.36.3"})
	if err := world.Write(&file); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "cluster.naosu")
	if err := os.WriteFile(path, file.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func header(t *testing.T, input string) []asked {
	t.Helper()
	data, err := os.ReadFile(input)
	if err != nil {
		t.Fatal(err)
	}
	var all []asked
	for line := range strings.Lines(string(data)) {
		line = strings.TrimSpace(line)
		if command, ok := strings.CutPrefix(line, "# $ naosu "); ok {
			all = append(all, asked{args: strings.Fields(command)})
		}
		if words, ok := strings.CutPrefix(line, "# says: "); ok {
			last := &all[len(all)-1]
			last.says = append(last.says, words)
		}
	}
	if len(all) == 0 {
		t.Fatalf("the header of %s asks nothing", input)
	}
	return all
}

func ask(t *testing.T, snapshot string, q asked) any {
	t.Helper()
	var out bytes.Buffer
	root := NewCommand("naosu", genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: io.Discard})
	root.SetArgs(append(q.args, "--from", snapshot, "--lang", "en", "-o", "json"))
	if err := root.ExecuteContext(t.Context()); err != nil {
		t.Fatalf("naosu %s: %v", strings.Join(q.args, " "), err)
	}
	var answer any
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		t.Fatal(err)
	}
	flat, err := json.Marshal(answer)
	if err != nil {
		t.Fatal(err)
	}
	for _, words := range q.says {
		if !strings.Contains(string(flat), words) {
			t.Errorf("naosu %s does not say %s", strings.Join(q.args, " "), words)
		}
	}
	return answer
}

func compareAnswers(t *testing.T, path string, answers []any) {
	t.Helper()
	var got bytes.Buffer
	encoder := json.NewEncoder(&got)
	encoder.SetIndent("", " ")
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(answers); err != nil {
		t.Fatal(err)
	}
	golden.Compare(t, path, got.Bytes())
}
