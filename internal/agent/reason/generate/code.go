package main

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"
	"text/template"
	"time"
)

var code = template.Must(template.New("").Funcs(template.FuncMap{"duration": durationOf, "title": titleOf, "hardware": hardwareOf}).Parse(
	`// Code generated from catalogue.yaml and xid.yaml. DO NOT EDIT.

package reason

import "time"

const (
{{range .}}	// {{.Name}}: {{.Means.EN}}
	{{.Name}} ID = "{{.Name}}"
{{end}})

// Catalogue is every reason, sorted by condition and name.
var Catalogue = []Reason{
{{range .}}	{
		ID: {{.Name}}, Condition: {{.Condition}}, Severity: {{title .Severity}}, Action: {{.Action}},
		{{with .Aliases}}Aliases: []ID{ {{range .}}{{printf "%q" .}}, {{end}} },
		{{end}}{{with .Entity}}Entity: {{printf "%q" .}},
		{{end}}{{with .Hardware}}Hardware: {{hardware .}},
		{{end}}Means: Words{
			EN: {{printf "%q" .Means.EN}},
			JA: {{printf "%q" .Means.JA}},
		},
		Reads: {{printf "%q" .Reads}},
		{{with .ReadsJA}}ReadsJA: {{printf "%q" .}},
		{{end}}		{{with .Needs}}Needs: Needs{ {{with .Count}}Count: {{.}},{{end}} {{with .Within}}Within: {{duration .}},{{end}} {{with .For}}For: {{duration .}},{{end}} },
		{{end}}{{with .Clears}}Clears: Clears{ {{with .Quiet}}Quiet: {{duration .}},{{end}} {{with .For}}For: {{duration .}},{{end}} },
		{{end}}{{with .Rests}}{{if .On}}Rests: Rests{On: {{title .On}}, Says: Words{
			EN: {{printf "%q" .EN}},
			JA: {{printf "%q" .JA}},
		}},
		{{end}}{{end}}{{with .Matches}}Matches: []Match{
			{{range .}}{Log: {{printf "%q" .Log}}, Pattern: {{printf "%#q" .Pattern}}{{with .Except}}, Except: {{printf "%#q" .}}{{end}}{{if .Clears}}, Clears: true{{end}}},
			{{end}} },
		{{end}}},
{{end}}}

// The durations of the catalogue, in the largest unit that is whole.
const (
	second = time.Second
	minute = time.Minute
	hour   = time.Hour
)
`))

func codeOf(entries []entry) ([]byte, error) {
	var out bytes.Buffer
	if err := code.Execute(&out, entries); err != nil {
		return nil, err
	}
	source, err := format.Source(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("format the code: %w", err)
	}
	return source, nil
}

func durationOf(d time.Duration) string {
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"hour", time.Hour}, {"minute", time.Minute}, {"second", time.Second}} {
		if d%unit.size == 0 {
			return fmt.Sprintf("%d * %s", d/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%d", d)
}

func titleOf(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// hardwareOf is the constant of a kind of hardware.
func hardwareOf(kind string) string {
	if kind == "nvidia" {
		return "NVIDIA"
	}
	return titleOf(kind)
}
