package remediations

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// server answers each list and each watch with the next of a script, and interrupts the command when it is over.
type server struct {
	client.WithWatch
	lists     []v1alpha1.RemediationList
	watches   [][]watch.Event
	interrupt context.CancelFunc
	// asked are the name and the resourceVersion of each watch.
	asked []string
}

func (s *server) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	if len(s.lists) == 0 {
		return errors.New("the script has no more lists")
	}
	s.lists[0].DeepCopyInto(list.(*v1alpha1.RemediationList))
	s.lists = s.lists[1:]
	return nil
}

func (s *server) Watch(_ context.Context, _ client.ObjectList, options ...client.ListOption) (watch.Interface, error) {
	var asked client.ListOptions
	asked.ApplyOptions(options)
	field := ""
	if asked.FieldSelector != nil {
		field = asked.FieldSelector.String()
	}
	s.asked = append(s.asked, field+"@"+asked.Raw.ResourceVersion)
	if len(s.watches) == 0 {
		s.interrupt()
		return watch.NewFake(), nil // It stays silent until the command ends.
	}
	events := make(chan watch.Event, len(s.watches[0]))
	for _, event := range s.watches[0] {
		events <- event
	}
	close(events)
	s.watches = s.watches[1:]
	return watch.NewProxyWatcher(events), nil
}

// versioned is a Remediation of a resourceVersion and a phase.
func versioned(name, version string, phase v1alpha1.Phase) v1alpha1.Remediation {
	r := repaired(name, time.Hour)
	r.ResourceVersion, r.Status.Phase, r.Status.Conditions = version, phase, nil
	return r
}

func listOf(version string, items ...v1alpha1.Remediation) v1alpha1.RemediationList {
	return v1alpha1.RemediationList{ListMeta: metav1.ListMeta{ResourceVersion: version}, Items: items}
}

func changed(kind watch.EventType, r v1alpha1.Remediation) watch.Event {
	return watch.Event{Type: kind, Object: &r}
}

func expired() watch.Event {
	status := apierrors.NewResourceExpired("too old").Status()
	return watch.Event{Type: watch.Error, Object: &status}
}

// watched is what the command writes while the server plays its script.
func watched(t *testing.T, s *server, format output.Format, name string) (out, others string, err error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s.interrupt = cancel
	defer cancel()
	var stdout, stderr bytes.Buffer
	o := &Options{
		IOStreams: genericiooptions.IOStreams{Out: &stdout, ErrOut: &stderr}, Clock: clocktesting.NewFakePassiveClock(now),
		Format: format, Name: name, Say: message.English(), Watch: true,
	}
	err = o.watch(ctx, connect.Objects{WithWatch: s, Host: "https://example.com"})
	return stdout.String(), stderr.String(), err
}

func TestWatchTable(t *testing.T) {
	for name, tc := range map[string]struct {
		server       server
		name         string
		want, others string
		asked        []string
	}{
		"what exists, and each change": {
			server: server{
				lists: []v1alpha1.RemediationList{listOf("7", versioned("a", "5", v1alpha1.PhaseProposed)), listOf("9", versioned("a", "8", v1alpha1.PhaseRunning), versioned("b", "9", ""))},
				watches: [][]watch.Event{{
					changed(watch.Modified, versioned("a", "8", v1alpha1.PhaseRunning)), changed(watch.Added, versioned("b", "9", "")),
				}},
			},
			want: `NAME   NODE       REASON           ACTION   PHASE      OUTCOME   AGE
a      worker-1   InterfaceNotUp   Reboot   Proposed             60m
a      worker-1   InterfaceNotUp   Reboot   Running              60m
b      worker-1   InterfaceNotUp   Reboot   Proposed             60m
`,
			asked: []string{"@7", "@9"},
		},
		"what changed between two watches": {
			server: server{
				lists:   []v1alpha1.RemediationList{listOf("7", versioned("a", "5", v1alpha1.PhaseProposed), versioned("b", "6", v1alpha1.PhaseEnded)), listOf("20", versioned("a", "19", v1alpha1.PhaseRunning), versioned("b", "6", v1alpha1.PhaseEnded))},
				watches: [][]watch.Event{{expired()}},
			},
			want: `NAME   NODE       REASON           ACTION   PHASE      OUTCOME   AGE
a      worker-1   InterfaceNotUp   Reboot   Proposed             60m
b      worker-1   InterfaceNotUp   Reboot   Ended                60m
a      worker-1   InterfaceNotUp   Reboot   Running              60m
`,
			asked: []string{"@7", "@20"},
		},
		"one that is deleted": {
			server: server{
				lists:   []v1alpha1.RemediationList{listOf("7", versioned("a", "5", v1alpha1.PhaseEnded)), listOf("8")},
				watches: [][]watch.Event{{changed(watch.Deleted, versioned("a", "8", v1alpha1.PhaseEnded))}},
			},
			want: `NAME   NODE       REASON           ACTION   PHASE   OUTCOME   AGE
a      worker-1   InterfaceNotUp   Reboot   Ended             60m
a      worker-1   InterfaceNotUp   Reboot   Ended             60m
`,
			asked: []string{"@7", "@8"},
		},
		"the first comes later": {
			server: server{lists: []v1alpha1.RemediationList{listOf("7"), listOf("8")}, watches: [][]watch.Event{{changed(watch.Added, versioned("a-name-that-is-longer", "8", ""))}}},
			want: `NAME                    NODE       REASON           ACTION   PHASE      OUTCOME   AGE
a-name-that-is-longer   worker-1   InterfaceNotUp   Reboot   Proposed             60m
`,
			others: message.English().Say(sentence.RemediationsNone()) + "\n",
			asked:  []string{"@7", "@8"},
		},
		"one by name": {
			server: server{lists: []v1alpha1.RemediationList{listOf("7", versioned("a", "5", ""))}},
			name:   "a",
			want: `NAME   NODE       REASON           ACTION   PHASE      OUTCOME   AGE
a      worker-1   InterfaceNotUp   Reboot   Proposed             60m
`,
			asked: []string{"metadata.name=a@7"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, others, err := watched(t, &tc.server, output.Text, tc.name)
			if err != nil {
				t.Fatalf("interrupted, it ends with %v", err)
			}
			if diff := cmp.Diff(tc.want, out); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(strings.ReplaceAll(tc.others, "\n", " "), strings.ReplaceAll(others, "\n", " ")); diff != "" {
				t.Errorf("on standard error (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tc.asked, tc.server.asked); diff != "" {
				t.Errorf("watches (-want +got):\n%s", diff)
			}
		})
	}
}

// TestWatchData reads back each document: kubectl writes one for each object and each change.
func TestWatchData(t *testing.T) {
	script := func() *server {
		return &server{
			lists:   []v1alpha1.RemediationList{listOf("7", versioned("a", "5", v1alpha1.PhaseProposed)), listOf("8", versioned("a", "8", v1alpha1.PhaseRunning))},
			watches: [][]watch.Event{{changed(watch.Modified, versioned("a", "8", v1alpha1.PhaseRunning))}},
		}
	}
	want := []string{"Remediation naosu.dev/v1alpha1 a Proposed", "Remediation naosu.dev/v1alpha1 a Running"}
	said := func(r v1alpha1.Remediation) string {
		return r.Kind + " " + r.APIVersion + " " + r.Name + " " + string(r.Status.Phase)
	}
	out, _, err := watched(t, script(), output.YAML, "")
	var got []string
	for document := range strings.SplitSeq(out, "---\n") {
		var r v1alpha1.Remediation
		if err := yaml.Unmarshal([]byte(document), &r); err != nil {
			t.Fatal(err)
		}
		got = append(got, said(r))
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("YAML (%v, -want +got):\n%s", err, diff)
	}
	out, _, err = watched(t, script(), output.JSON, "")
	got = nil
	for decoder := json.NewDecoder(strings.NewReader(out)); ; {
		var r v1alpha1.Remediation
		if err := decoder.Decode(&r); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		got = append(got, said(r))
	}
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Errorf("JSON (%v, -want +got):\n%s", err, diff)
	}
}

func TestWatchFails(t *testing.T) {
	forbidden := apierrors.NewForbidden(v1alpha1.GroupVersion.WithResource("remediations").GroupResource(), "", nil).Status()
	var denied runtime.Object = &forbidden
	for name, tc := range map[string]struct {
		server server
		name   string
	}{
		"no such Remediation":        {server{lists: []v1alpha1.RemediationList{listOf("7")}}, "a"},
		"the list fails":             {server{}, ""},
		"the watch is not permitted": {server{lists: []v1alpha1.RemediationList{listOf("7")}, watches: [][]watch.Event{{{Type: watch.Error, Object: denied}}}}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if _, _, err := watched(t, &tc.server, output.Text, tc.name); err == nil || exit.Code(err) != exit.NoAnswer {
				t.Errorf("got %v", err)
			}
		})
	}
}
