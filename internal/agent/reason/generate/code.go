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
	`// Code generated from the folder catalogue. DO NOT EDIT.

package reason

import "time"

// The reasons of {{.Condition}}.
const (
{{range .Entries}}	// {{.Name}}: {{.Means.EN}}
	{{.Name}} ID = "{{.Name}}"
{{end}})

var {{.Variable}} = []Reason{
{{range .Entries}}	{
		ID: {{.Name}}, Condition: {{.Condition}}, Severity: {{title .Severity}}, Action: {{.Action}},
		{{with .Aliases}}Aliases: []ID{ {{range .}}{{printf "%q" .}}, {{end}} },
		{{end}}{{with .Entity}}Entity: {{printf "%q" .}},
		{{end}}{{with .Hardware}}Hardware: {{hardware .}},
		{{end}}Means: Words{
			EN: {{printf "%q" .Means.EN}},
			JA: {{printf "%q" .Means.JA}},
		},
		Reads: {{printf "%q" .Reads}},
		ReadsJA: {{printf "%q" .ReadsJA}},
		{{with .Needs}}Needs: Needs{ {{with .Count}}Count: {{.}},{{end}} {{with .Within}}Within: {{duration .}},{{end}} {{with .For}}For: {{duration .}},{{end}} },
		{{end}}{{with .Clears}}Clears: Clears{ {{with .Quiet}}Quiet: {{duration .}},{{end}} {{with .For}}For: {{duration .}},{{end}} },
		{{end}}{{with .Basis}}{{if .Kind}}Basis: Basis{Kind: {{title .Kind}}, Text: Words{
			EN: {{printf "%q" .EN}},
			JA: {{printf "%q" .JA}},
		}},
		{{end}}{{end}}{{with .Matches}}Matches: []Match{
			{{range .}}{Log: {{printf "%q" .Log}}, Pattern: {{printf "%#q" .Pattern}}{{with .Except}}, Except: {{printf "%#q" .}}{{end}}{{if .Clears}}, Clears: true{{end}}},
			{{end}} },
		{{end}}},
{{end}}}
`))

// codeOf returns the Go source of the reasons of a condition.
func codeOf(condition string, entries []entry) ([]byte, error) {
	of := struct {
		Condition, Variable string
		Entries             []entry
	}{Condition: condition, Variable: strings.ToLower(condition[:1]) + condition[1:]}
	for _, e := range entries {
		if e.Condition == condition {
			of.Entries = append(of.Entries, e)
		}
	}
	var out bytes.Buffer
	if err := code.Execute(&out, of); err != nil {
		return nil, err
	}
	source, err := format.Source(out.Bytes())
	if err != nil {
		return nil, fmt.Errorf("format the code: %w", err)
	}
	return source, nil
}

// durationOf returns the Go expression of a duration, in the largest unit that divides it.
func durationOf(d time.Duration) string {
	for _, unit := range []struct {
		name string
		size time.Duration
	}{{"time.Hour", time.Hour}, {"time.Minute", time.Minute}, {"time.Second", time.Second}} {
		if d%unit.size == 0 {
			return fmt.Sprintf("%d * %s", d/unit.size, unit.name)
		}
	}
	return fmt.Sprintf("%d", d)
}

func titleOf(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

// hardwareOf returns the constant of a kind of hardware.
func hardwareOf(kind string) string {
	if kind == "nvidia" {
		return "NVIDIA"
	}
	return titleOf(kind)
}
