package whatif

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/language"
	"github.com/naosu-dev/naosu/internal/golden"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

const shop = "testdata/shop.yaml"

// run asks the verb as the root command would.
func run(t *testing.T, in string, args ...string) (out string, err error) {
	t.Helper()
	empty := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", empty)
	streams, stdin, stdout, _ := genericiooptions.NewTestIOStreams()
	stdin.WriteString(in)
	flags := connect.Flags()
	cmd := NewCommand(flags, streams)
	cmd.SetOut(streams.Out)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetFlagErrorFunc(exit.BadFlag)
	language.AddFlag(cmd)
	global := pflag.NewFlagSet("global", pflag.ContinueOnError)
	flags.AddFlags(global)
	cmd.Flags().AddFlagSet(global)
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(t.Context())
	return stdout.String(), err
}

func ask(t *testing.T, args ...string) (string, error) {
	t.Helper()
	return run(t, "", append([]string{"--from", shop, "-n", "shop"}, args...)...)
}

func TestPages(t *testing.T) {
	for name, args := range map[string][]string{
		"lose-node":    {"lose", "node/n1"},
		"lose-zone-ja": {"lose", "zone/us-east-1a", "--lang", "ja"},
		"grow":         {"grow", "kube-system/daemonset/agent", "--cpu", "600m"},
		"drain":        {"drain", "n2"},
		"several":      {"scale", "group/workers", "--to", "6,", "rotate", "group/workers", "--zones", "us-east-1b,us-east-1c"},
		"apply":        {"apply", "-f", "testdata/change.yaml"},
		"add-nodes":    {"add-nodes", "1"},
		"futures":      {"lose", "node/n3", "--seeds", "5"},
		"next-step":    {"grow", "kube-system/daemonset/calico-node", "--from", "testdata/scaler.yaml"},
		"lose-group":   {"lose", "group/workers"},
		"wide":         {"lose", "zone/us-east-1a", "--seeds", "3", "-o", "wide"},
		"wide-ja":      {"apply", "-f", "testdata/change.yaml", "-o", "wide", "--lang", "ja"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := ask(t, args...)
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, "testdata/"+name+".txt", []byte(out))
		})
	}
}

// TestScope plays the same, and tells only of what is asked about; -A finds what changes.
func TestScope(t *testing.T) {
	out, err := ask(t, "lose", "zone/us-east-1a", "-l", "app=db")
	if err != nil || !strings.Contains(out, "shop/db-0") || strings.Contains(out, "web-") {
		t.Errorf("with -l app=db (%v):\n%s", err, out)
	}
	out, err = ask(t, "scale", "deployment/web", "--replicas", "3", "-n", "default", "-A")
	if err != nil || !strings.Contains(out, "1. scale shop/deployment/web --replicas 3") {
		t.Errorf("with -A (%v):\n%s", err, out)
	}
}

// TestJSON holds the shape that programs read.
func TestJSON(t *testing.T) {
	out, err := ask(t, "lose", "node/n1", "-o", "json")
	if err != nil {
		t.Fatal(err)
	}
	var forecast struct {
		Changes []map[string]any
		Outcome struct {
			Moved, Waiting, Delayed, Preempted, Lost, Ended, Created []map[string]any
			Counts                                                   map[string]int
		}
		PDBViolations []map[string]any
		Findings      []struct{ Code string }
		Seeds         int
		NotModelled   []map[string]any
	}
	decoder := json.NewDecoder(strings.NewReader(out))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&map[string]any{}); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(out), &forecast); err != nil {
		t.Fatal(err)
	}
	if forecast.Seeds != 1 || forecast.Changes[0]["kind"] != "LoseNode" || len(forecast.PDBViolations) != 1 {
		t.Errorf("seeds %d, changes %v, violations %v", forecast.Seeds, forecast.Changes, forecast.PDBViolations)
	}
	o := forecast.Outcome
	want := map[string]int{"moved": 1, "waiting": 1, "delayed": 0, "preempted": 0, "lost": 3, "ended": 1, "created": 0, "stays": 5}
	got := map[string]int{
		"moved": len(o.Moved), "waiting": len(o.Waiting), "delayed": len(o.Delayed), "preempted": len(o.Preempted), "lost": len(o.Lost),
		"ended": len(o.Ended), "created": len(o.Created), "stays": o.Counts["stays"],
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("rows (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(want, o.Counts); diff != "" {
		t.Errorf("counts (-want +got):\n%s", diff)
	}
}

func TestChanges(t *testing.T) {
	zones := []string{"a", "b"}
	for line, want := range map[string][]change.Change{
		"lose node/x":                              {change.LoseNode{Node: "x"}},
		"lose node x":                              {change.LoseNode{Node: "x"}},
		"lose zone/a, lose group/g":                {change.LoseZone{Zone: "a"}, change.LoseGroup{Group: "g"}},
		"lose zone/a , drain x":                    {change.LoseZone{Zone: "a"}, change.DrainNode{Node: "x"}},
		"cordon no/x, uncordon node/x":             {change.Cordon{Node: "x"}, change.Uncordon{Node: "x"}},
		"taint node/x k=v:NoExecute":               {change.Taint{Node: "x", Taint: corev1.Taint{Key: "k", Value: "v", Effect: corev1.TaintEffectNoExecute}}},
		"untaint node x k:NoSchedule":              {change.Untaint{Node: "x", Taint: corev1.Taint{Key: "k", Effect: corev1.TaintEffectNoSchedule}}},
		"untaint node x k":                         {change.Untaint{Node: "x", Taint: corev1.Taint{Key: "k"}}},
		"tag subnet/s kubernetes.io/role/cni=1":    {change.TagSubnet{Subnet: "s"}},
		"delete eni/e, delete pod q":               {change.DeleteInterface{Interface: "e"}, change.DeletePod{Namespace: "here", Name: "q"}},
		"add-nodes 3 --group g --zone a":           {change.AddNodes{Count: 3, Group: "g", Zone: "a"}},
		"--group g add-nodes 3":                    {change.AddNodes{Count: 3, Group: "g"}},
		"scale group/g --to 4 --zones a,b":         {change.ResizeGroup{Group: "g", To: 4, Zones: zones}},
		"scale deploy/web --replicas 0":            {change.ScaleWorkload{Kind: "Deployment", Namespace: "here", Name: "web"}},
		"scale there/sts/db --replicas 2":          {change.ScaleWorkload{Kind: "StatefulSet", Namespace: "there", Name: "db", Replicas: 2}},
		"rotate group/g --zones a,b, evict pod/p":  {change.RotateGroup{Group: "g", Zones: zones}, change.Evict{Namespace: "here", Name: "p"}},
		"rotate group/g --to 2":                    {change.RotateGroup{Group: "g", To: 2}},
		"delete pod/p --force , delete pod/q":      {change.DeletePod{Namespace: "here", Name: "p", Force: true}, change.DeletePod{Namespace: "here", Name: "q"}},
		"add-nodes 1 --zone a , add-nodes 2":       {change.AddNodes{Count: 1, Zone: "a"}, change.AddNodes{Count: 2}},
		"add-nodes 1, add-nodes 2 --zone a":        {change.AddNodes{Count: 1}, change.AddNodes{Count: 2, Zone: "a"}},
		`patch node/x -p {"spec":{"podCIDR":"c"}}`: {change.Patch{Object: change.Ref{Kind: "Node", Name: "x"}, Patch: `{"spec":{"podCIDR":"c"}}`}},
		"grow ds/d --cpu 450m --container c": {change.GrowDaemonSet{
			Namespace: "here", Name: "d", Container: "c", Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("450m")},
		}},
	} {
		t.Run(line, func(t *testing.T) {
			o := &Options{Seeds: 1}
			set := pflag.NewFlagSet("", pflag.ContinueOnError)
			o.flags.addTo(set)
			if err := set.Parse(strings.Fields(line)); err != nil {
				t.Fatal(err)
			}
			o.Complete(set.Args())
			if err := o.Validate(); err != nil {
				t.Fatal(err)
			}
			got, err := o.changes("here", nil)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("changes (-want +got):\n%s", diff)
			}
		})
	}
}

func TestBadInput(t *testing.T) {
	for line, want := range map[string]string{
		"":                          "change: missing",
		"loose node/n1":             `change: "loose" is not a valid value; use lose, drain`,
		"lose":                      "lose: ",
		"lose pod/x":                `lose: "pod" is not a valid value; for example: whatif lose node/NAME, zone/NAME or group/NAME`,
		"lose node/n9":              "node/n9: does not exist; did you mean node/n1",
		"lose zone/us-east-1d":      "zone/us-east-1d: does not exist; did you mean zone/us-east-1a",
		"rotate group/worker":       "group/worker: does not exist; did you mean group/workers?",
		"grow ds/agent --cpu 1":     "daemonset/agent: does not exist in namespace shop; did you mean kube-system/daemonset/agent?",
		"grow ds/agent":             "daemonset/agent: does not exist in namespace shop",
		"grow kube-system/ds/agent": "--cpu: missing, and no vertical autoscaler of daemonset/agent was found that shows its next step; give --cpu as in 450m",
		"lose node/n1 lose node/n2": "lose: lose starts another change; put a comma between changes",
		"lose node":                 "lose: node does not name a single object; for example: whatif lose node/NAME",
		"rotate group/workers --zones us-east-1d":         "zone/us-east-1d: does not exist; did you mean zone/us-east-1a",
		"add-nodes 1 --zone b":                            "zone/b: does not exist",
		"scale group/workers --to 3 --zones us-east-1a,c": "zone/c: does not exist",
		"grow ds/agent --cpu much":                        `--cpu: "much" is not a valid value`,
		"scale group/workers":                             "--to: missing; give a whole number from 0 to 100000",
		"scale group/workers --to -1":                     `--to: "-1" is not a valid number`,
		"add-nodes 0":                                     `add-nodes: "0" is not a valid number; give a whole number from 1 to 100000`,
		"add-nodes":                                       "add-nodes: missing",
		"drain n1 --cpu 1":                                "--cpu: does not apply to drain",
		"taint node/n1 k=v":                               "taint: ",
		"tag subnet/s":                                    "tag: missing; only kubernetes.io/role/cni=1 can be simulated",
		"tag subnet/s kubernetes.io/role/cni=0":           `tag: "kubernetes.io/role/cni=0" is not a valid value; only kubernetes.io/role/cni=1 can be simulated`,
		"tag node/n1 kubernetes.io/role/cni=1":            `tag: "node" is not a valid value; for example: whatif tag subnet/NAME`,
		"tag subnet/s kubernetes.io/role/cni=1":           "a forecast of this change needs what EC2 says of the network, and Subnet and NetworkInterface objects could not be read",
		"delete networkinterface/e --force":               "--force: does not apply to delete",
		"apply":                                           "--filename: missing",
		"apply -f testdata/none.yaml":                     "--filename: ",
		"apply -f testdata/lose-node.txt":                 "--filename: ",
		"lose node/n1, drain n1":                          "node/n1: an earlier change has already removed it; omit one of the two changes",
		"lose zone/us-east-1a, lose zone/us-east-1a":      "zone/us-east-1a: an earlier change has already removed it",
		"patch node/n1 -p {":                              "--patch: ",
		`patch deploy/web -p {"spec":{"replica":3}}`:      `--patch: patching deployment/web: json: unknown field "replica"; give a JSON object`,
		`patch deploy/web -p {"spec":{"replicas":"3"}}`:   "--patch: patching deployment/web: json: cannot unmarshal string into Go struct field",
		"scale deploy/web --replicas 100001":              `--replicas: "100001" is not a valid number; give a whole number from 0 to 100000`,
		"lose node/n1 --fail-on never":                    `--fail-on: "never" is not a valid value; use waiting`,
		"lose node/n1 --seeds 0":                          "--seeds: ",
		"grow kube-system/ds/agent --cpu 1 --container x": `--container: "x" is not a valid value; use main`,
		"grow ds/agent --cpu 2 -l a=(":                    "--selector: ",
		"scale deployment/web --replicas 2 -n default":    "deployment/web: does not exist in namespace default; did you mean shop/deployment/web?",
		"lose node/n1 --nope":                             "unknown flag --nope",
	} {
		t.Run(line, func(t *testing.T) {
			_, err := ask(t, strings.Fields(line)...)
			if exit.Code(err) != exit.NoAnswer {
				t.Errorf("exit code %d (%v), want %d", exit.Code(err), err, exit.NoAnswer)
			}
			if err == nil || !strings.Contains(exit.Line(message.English(), err), want) {
				t.Errorf("%v, want %q", err, want)
			}
		})
	}
}

func TestFailOn(t *testing.T) {
	for on, code := range map[string]int{
		"lost": exit.Found, "waiting": exit.Found, "budget": exit.Found, "preempted": exit.OK, "delayed,lost": exit.Found, "delayed": exit.OK,
	} {
		t.Run(on, func(t *testing.T) {
			out, err := ask(t, "lose", "node/n1", "--fail-on", on)
			if exit.Code(err) != code {
				t.Errorf("exit code %d (%v), want %d", exit.Code(err), err, code)
			}
			if out == "" {
				t.Error("the answer is missing")
			}
		})
	}
}

func TestManifestsFromStandardInput(t *testing.T) {
	data, err := os.ReadFile("testdata/change.yaml")
	if err != nil {
		t.Fatal(err)
	}
	fromFile, err := ask(t, "apply", "-f", "testdata/change.yaml", "-o", "json")
	if err != nil {
		t.Fatal(err)
	}
	fromStdin, err := run(t, string(data), "apply", "-f", "-", "-o", "json", "--from", shop, "-n", "shop")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(fromFile, strings.Replace(fromStdin, `"from": "-"`, `"from": "testdata/change.yaml"`, 1)); diff != "" {
		t.Errorf("file and standard input differ:\n%s", diff)
	}
}

func TestCompletion(t *testing.T) {
	for line, want := range map[string]string{
		"ro":                      "rotate",
		"lose z":                  "zone/",
		"lose zone/us":            "zone/us-east-1a",
		"lose node/":              "node/n3",
		"lose node/n1, dr":        "drain",
		"grow daemonset/":         "daemonset/agent",
		"lose node/n1, drain no":  "node/",
		"scale deployment/":       "deployment/web",
		"add-nodes 1 --group wor": "workers",
	} {
		t.Run(line, func(t *testing.T) {
			words := strings.Split(line, " ")
			out, err := run(t, "", append([]string{"__complete", "--from", shop}, words...)...)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains("\n"+out, "\n"+want+"\n") {
				t.Errorf("offered %q, want %q among it", out, want)
			}
		})
	}
}

// TestSeedsOfRotations simulates rotations several times where the provider chooses the zones of the new nodes.
func TestSeedsOfRotations(t *testing.T) {
	world := testworld.ThreeNodes().Judge(t).World()
	for name, tc := range map[string]struct {
		given  bool
		change change.Change
		want   int
	}{
		"as many nodes":             {false, change.RotateGroup{Group: "workers"}, 1},
		"fewer":                     {false, change.RotateGroup{Group: "workers", To: 2}, zoneSeeds},
		"more":                      {false, change.RotateGroup{Group: "workers", To: 4}, 1},
		"fewer, in as many zones":   {false, change.RotateGroup{Group: "workers", To: 2, Zones: []string{"a", "b"}}, 1},
		"as many, and more zones":   {false, change.RotateGroup{Group: "workers", Zones: []string{"a", "b", "c", "d"}}, zoneSeeds},
		"a number that was given":   {true, change.RotateGroup{Group: "workers", To: 2}, 1},
		"of another kind":           {false, change.ResizeGroup{Group: "workers", To: 2}, 1},
		"a group that nobody knows": {false, change.RotateGroup{Group: "none", To: 2}, 1},
	} {
		o := &Options{Seeds: 1, SeedsGiven: tc.given}
		if got := o.seeds(world, []change.Change{tc.change}); got != tc.want {
			t.Errorf("%s: %d times, want %d", name, got, tc.want)
		}
	}
}
