package managedfields

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// Of the fields that a manager owns, some are written by nobody but the last writer; a status may stay another's.
func TestOthers(t *testing.T) {
	at := start
	field := func(manager, subresource, fields string) Field {
		return Field{Manager: manager, Subresource: subresource, Time: at, FieldsV1: json.RawMessage(fields)}
	}
	const kernel = `"k:{\"type\":\"KernelReady\"}"`
	for name, tc := range map[string]struct {
		fields []Field
		want   map[string]string
	}{
		"nobody":           {nil, map[string]string{}},
		"the agent":        {[]Field{writes(Agent, at, "KernelReady")}, map[string]string{}},
		"another":          {[]Field{writes("npd", at, "KernelReady", "StorageReady")}, map[string]string{"KernelReady": "npd", "StorageReady": "npd"}},
		"a reason alone":   {[]Field{field("kubectl", "status", `{"f:status":{"f:conditions":{`+kernel+`:{"f:reason":{}}}}}`)}, map[string]string{"KernelReady": "kubectl"}},
		"a status alone":   {[]Field{field("npd", "status", `{"f:status":{"f:conditions":{`+kernel+`:{".":{},"f:status":{},"f:type":{}}}}}`)}, map[string]string{}},
		"no subresource":   {[]Field{field("npd", "", `{"f:status":{"f:conditions":{`+kernel+`:{"f:reason":{}}}}}`)}, map[string]string{}},
		"the later of two": {[]Field{writes("a", at.Add(time.Minute), "KernelReady"), writes("b", at, "KernelReady")}, map[string]string{"KernelReady": "a"}},
		"not understood":   {[]Field{field("a", "status", `{"f:status":{"f:conditions":{"k:x":{},"v:y":3,`+kernel+`:4}}}`), field("b", "status", `[]`), field("c", "status", ``)}, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string]string{}
			for kind, w := range Others(tc.fields) {
				got[kind] = w.Manager
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// What the agent removes when it is uninstalled is what it alone wrote last.
func TestOwn(t *testing.T) {
	at := start
	status := Field{
		Manager: "npd", Subresource: "status", Time: at,
		FieldsV1: json.RawMessage(`{"f:status":{"f:conditions":{"k:{\"type\":\"KernelReady\"}":{".":{},"f:status":{},"f:type":{}}}}}`),
	}
	elsewhere := writes(Agent, at, "KernelReady")
	elsewhere.Subresource = ""
	for name, tc := range map[string]struct {
		fields []Field
		want   []reason.Condition
	}{
		"nobody":                     {nil, nil},
		"the agent":                  {[]Field{writes(Agent, at, "StorageReady", "KernelReady")}, []reason.Condition{reason.KernelReady, reason.StorageReady}},
		"another":                    {[]Field{writes("npd", at, "KernelReady")}, nil},
		"each its own":               {[]Field{writes("npd", at, "KernelReady"), writes(Agent, at, "StorageReady")}, []reason.Condition{reason.StorageReady}},
		"both, the agent's is later": {[]Field{writes("npd", at, "KernelReady"), writes(Agent, at.Add(time.Hour), "KernelReady")}, nil},
		"taken over by the agent":    {[]Field{status, writes(Agent, at, "KernelReady")}, []reason.Condition{reason.KernelReady}},
		"a type of others":           {[]Field{writes(Agent, at, "Ready", "ReadonlyFilesystem")}, nil},
		"no subresource":             {[]Field{elsewhere}, nil},
		"a manager of a like name":   {[]Field{writes(Agent+"-2", at, "KernelReady")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Own(tc.fields)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func FuzzWritten(f *testing.F) {
	f.Add([]byte(writes("a", start, "KernelReady").FieldsV1))
	f.Add([]byte(`{"f:status":{"f:conditions":{"k:{}":{"f:reason":null}}}}`))
	f.Fuzz(func(t *testing.T, fields []byte) {
		if kinds := written(fields); len(kinds) > 0 && !json.Valid(fields) {
			t.Errorf("%q of what is no JSON", kinds)
		}
	})
}

var start = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

// writes are the fields of conditions that a manager wrote.
func writes(manager string, at time.Time, kinds ...string) Field {
	var keys []string
	for _, kind := range kinds {
		keys = append(keys, fmt.Sprintf(`"k:{\"type\":\"%s\"}":{".":{},"f:lastHeartbeatTime":{},"f:message":{},"f:status":{}}`, kind))
	}
	return Field{Manager: manager, Subresource: "status", Time: at, FieldsV1: []byte(`{"f:status":{"f:conditions":{` + strings.Join(keys, ",") + `}}}`)}
}
