package report

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

// Of the fields that a manager owns, some are written by nobody but the last writer; a status may stay another's.
func TestOthers(t *testing.T) {
	at := start
	field := func(manager, subresource, fields string) kube.ManagedField {
		return kube.ManagedField{Manager: manager, Subresource: subresource, Time: at, FieldsV1: json.RawMessage(fields)}
	}
	const kernel = `"k:{\"type\":\"KernelReady\"}"`
	for name, tc := range map[string]struct {
		fields []kube.ManagedField
		want   map[string]string
	}{
		"nobody":           {nil, map[string]string{}},
		"the agent":        {[]kube.ManagedField{writes(kube.Manager, at, "KernelReady")}, map[string]string{}},
		"another":          {[]kube.ManagedField{writes("npd", at, "KernelReady", "StorageReady")}, map[string]string{"KernelReady": "npd", "StorageReady": "npd"}},
		"a reason alone":   {[]kube.ManagedField{field("kubectl", "status", `{"f:status":{"f:conditions":{`+kernel+`:{"f:reason":{}}}}}`)}, map[string]string{"KernelReady": "kubectl"}},
		"a status alone":   {[]kube.ManagedField{field("npd", "status", `{"f:status":{"f:conditions":{`+kernel+`:{".":{},"f:status":{},"f:type":{}}}}}`)}, map[string]string{}},
		"no subresource":   {[]kube.ManagedField{field("npd", "", `{"f:status":{"f:conditions":{`+kernel+`:{"f:reason":{}}}}}`)}, map[string]string{}},
		"the later of two": {[]kube.ManagedField{writes("a", at.Add(time.Minute), "KernelReady"), writes("b", at, "KernelReady")}, map[string]string{"KernelReady": "a"}},
		"not understood":   {[]kube.ManagedField{field("a", "status", `{"f:status":{"f:conditions":{"k:x":{},"v:y":3,`+kernel+`:4}}}`), field("b", "status", `[]`), field("c", "status", ``)}, map[string]string{}},
	} {
		t.Run(name, func(t *testing.T) {
			got := map[string]string{}
			for kind, w := range others(tc.fields) {
				got[kind] = w.manager
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
	status := kube.ManagedField{
		Manager: "npd", Subresource: "status", Time: at,
		FieldsV1: json.RawMessage(`{"f:status":{"f:conditions":{"k:{\"type\":\"KernelReady\"}":{".":{},"f:status":{},"f:type":{}}}}}`),
	}
	elsewhere := writes(kube.Manager, at, "KernelReady")
	elsewhere.Subresource = ""
	for name, tc := range map[string]struct {
		fields []kube.ManagedField
		want   []reason.Condition
	}{
		"nobody":                     {nil, nil},
		"the agent":                  {[]kube.ManagedField{writes(kube.Manager, at, "StorageReady", "KernelReady")}, []reason.Condition{reason.KernelReady, reason.StorageReady}},
		"another":                    {[]kube.ManagedField{writes("npd", at, "KernelReady")}, nil},
		"each its own":               {[]kube.ManagedField{writes("npd", at, "KernelReady"), writes(kube.Manager, at, "StorageReady")}, []reason.Condition{reason.StorageReady}},
		"both, the agent's is later": {[]kube.ManagedField{writes("npd", at, "KernelReady"), writes(kube.Manager, at.Add(time.Hour), "KernelReady")}, nil},
		"taken over by the agent":    {[]kube.ManagedField{status, writes(kube.Manager, at, "KernelReady")}, []reason.Condition{reason.KernelReady}},
		"a type of others":           {[]kube.ManagedField{writes(kube.Manager, at, "Ready", "ReadonlyFilesystem")}, nil},
		"no subresource":             {[]kube.ManagedField{elsewhere}, nil},
		"a manager of a like name":   {[]kube.ManagedField{writes(kube.Manager+"-2", at, "KernelReady")}, nil},
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
