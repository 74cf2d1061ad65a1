package finding_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// TestEncodeJSON has every way in which a sentence may be in an answer.
func TestEncodeJSON(t *testing.T) {
	pod := change.Ref{Kind: "Pod", Namespace: "shop", Name: "web-0"}
	finished := sentence.PodFinished(pod)
	zones := sentence.CauseNoNode(message.List{message.Verbatim("b"), finished, 3})
	measure := sentence.FieldMatching()
	say := message.Japanese()
	for name, tc := range map[string]struct {
		answer any
		want   string
	}{
		"its message":       {finding.Gap{About: "a", Message: finished}, `{"about":"a","message":"` + say.Say(finished) + `","messageID":"PodFinished","args":{"pod":{"kind":"Pod","namespace":"shop","name":"web-0"}}}`},
		"words of others":   {finding.Gap{About: "a", Message: message.Verbatim("<no>")}, `{"about":"a","message":"<no>"}`},
		"a pointer":         {&finding.Gap{}, `{"about":"","message":""}`},
		"no list":           {finding.Link{}, `{"message":"","evidence":null}`},
		"a list":            {finding.Link{Evidence: []finding.Evidence{}}, `{"message":"","evidence":[]}`},
		"no sentence in it": {map[string]int{"a": 1}, `{"a":1}`},
		"evidence": {
			[]finding.Evidence{{Object: pod, Measure: measure, Value: "3"}},
			`[{"object":{"kind":"Pod","namespace":"shop","name":"web-0"},"field":"` + say.Say(measure) + `","value":"3"}]`,
		},
		"values": {
			finding.Gap{Message: zones},
			`{"about":"","message":"` + say.Say(zones) + `","messageID":"CauseNoNode","args":{"zones":["b",{"message":"` + say.Say(finished) + `","messageID":"PodFinished","args":{"pod":{"kind":"Pod","namespace":"shop","name":"web-0"}}},3]}}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			data, err := finding.EncodeJSON(say, tc.answer)
			if err != nil {
				t.Fatal(err)
			}
			var got strings.Builder
			for line := range strings.Lines(string(data)) {
				got.WriteString(strings.TrimSpace(line))
			}
			if diff := cmp.Diff(tc.want, strings.ReplaceAll(got.String(), `": `, `":`)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// TestEncodeRemedy names the sentences beside an object's main one by their fields.
func TestEncodeRemedy(t *testing.T) {
	data, err := finding.EncodeJSON(message.English(), finding.Remedy{
		Message: message.Verbatim("do"), Cost: sentence.RemedyUncordonCost(),
	})
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := json.Unmarshal(data, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"message": "do", "change": nil, "command": "", "cost": "None.", "costID": "RemedyUncordonCost", "costArgs": map[string]any{}, "risk": "", "verified": false,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
