// Command generate writes docs/en/agent-configuration.md and docs/ja/agent-configuration.md from the structs that the agent's
// configuration is decoded into: their yaml keys, comments and defaults. ja.yaml contains the Japanese of each comment together with the
// English, so that a comment that changed without its translation is an error.
package main

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"slices"

	"go.yaml.in/yaml/v3"

	"github.com/naosu-dev/naosu/internal/agent/config"
)

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// translation is a comment and its Japanese.
type translation struct {
	EN string `yaml:"en"`
	JA string `yaml:"ja"`
}

func generate() error {
	c := comments{packages: map[string]map[string]map[string]string{}}
	own := config.OwnFile{Reasons: []config.OwnReason{config.DefaultOwn()}}
	settings, err := c.keys(reflect.ValueOf(config.Default()), "")
	if err != nil {
		return err
	}
	reasons, err := c.keys(reflect.ValueOf(own), "")
	if err != nil {
		return err
	}
	japanese, err := translated(settings, reasons)
	if err != nil {
		return err
	}
	for language, words := range pages {
		path := "../../../docs/" + language + "/agent-configuration.md"
		if err := os.WriteFile(path, words.page(settings, reasons, language, japanese), 0o644); err != nil {
			return fmt.Errorf("write %s: %w", path, err)
		}
	}
	return nil
}

// translated returns the Japanese of each key's comment.
func translated(tables ...[]key) (map[string]string, error) {
	text, err := os.ReadFile("generate/ja.yaml")
	if err != nil {
		return nil, fmt.Errorf("read the Japanese: %w", err)
	}
	var all map[string]translation
	if err := yaml.Unmarshal(text, &all); err != nil {
		return nil, fmt.Errorf("read the Japanese: %w", err)
	}
	japanese := map[string]string{}
	var wrong []error
	for _, k := range slices.Concat(tables...) {
		t, is := all[k.id()]
		switch {
		case !is:
			wrong = append(wrong, fmt.Errorf("generate/ja.yaml has no %s:\n%s: {en: %q, ja: }", k.id(), k.id(), k.comment))
		case t.EN != k.comment:
			wrong = append(wrong, fmt.Errorf("generate/ja.yaml: the comment of %s has changed to %q; the Japanese translates %q", k.id(), k.comment, t.EN))
		case t.JA == "":
			wrong = append(wrong, fmt.Errorf("generate/ja.yaml: %s has no Japanese", k.id()))
		}
		japanese[k.id()] = t.JA
	}
	for id := range all {
		if _, is := japanese[id]; !is {
			wrong = append(wrong, fmt.Errorf("generate/ja.yaml: the key %s does not exist", id))
		}
	}
	return japanese, errors.Join(wrong...)
}
