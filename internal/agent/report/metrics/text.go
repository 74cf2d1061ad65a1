package metrics

import (
	"fmt"
	"strconv"
	"strings"
)

// text is metrics in Prometheus's text format.
type text struct {
	strings.Builder
	name string
}

// metric begins a metric.
func (t *text) metric(name, kind, help string) {
	t.name = name
	fmt.Fprintf(t, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

var escaped = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// sample adds one of the metric begun last; labels are names and values in turn.
func (t *text) sample(value float64, labels ...string) {
	t.WriteString(t.name)
	for i := 0; i < len(labels); i += 2 {
		sign := byte(',')
		if i == 0 {
			sign = '{'
		}
		t.WriteByte(sign)
		t.WriteString(labels[i] + `="` + escaped.Replace(strings.ToValidUTF8(labels[i+1], "\uFFFD")) + `"`)
	}
	if len(labels) > 0 {
		t.WriteByte('}')
	}
	t.WriteString(" " + strconv.FormatFloat(value, 'g', -1, 64) + "\n")
}
