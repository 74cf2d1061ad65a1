// Command generate writes the Go code of the agent's catalogue of reasons, and the pages reasons.md and xid.md in docs, from the YAML
// files in the folder catalogue.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

func main() {
	if err := generate("catalogue", ".", "../../../docs"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(catalogue, code, docs string) error {
	var entries []entry
	for _, condition := range conditions {
		of, err := read(filepath.Join(catalogue, condition+".yaml"), condition)
		if err != nil {
			return err
		}
		entries = append(entries, of...)
	}
	table, err := readXIDs(filepath.Join(catalogue, "xid.yaml"))
	if err != nil {
		return err
	}
	entries = append(entries, table.entries()...)
	slices.SortStableFunc(entries, order)
	if err := checkAll(entries); err != nil {
		return err
	}
	for _, condition := range conditions {
		source, err := codeOf(condition, entries)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(code, "zz_generated."+strings.ToLower(condition)+".go"), source, 0o644); err != nil {
			return err
		}
	}
	for _, language := range []string{"en", "ja"} {
		if err := os.WriteFile(filepath.Join(docs, language, "reasons.md"), pageOf(entries, language), 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(docs, language, "xid.md"), xidPage(table, language), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// read returns the reasons of a condition, which its file has in the order of their names.
func read(file, condition string) ([]entry, error) {
	var entries []entry
	if err := decode(file, &entries); err != nil {
		return nil, err
	}
	for i := range entries {
		entries[i].Condition = condition
		if i > 0 && entries[i-1].Name >= entries[i].Name {
			return nil, fmt.Errorf("%s: %s must come before %s", file, entries[i].Name, entries[i-1].Name)
		}
	}
	return entries, nil
}

// decode reads a YAML file; an unknown field is an error.
func decode(file string, into any) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read the catalogue: %w", err)
	}
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return nil
}

// checkAll returns all errors in all entries.
func checkAll(entries []entry) error {
	var wrong []error
	for i, e := range entries {
		for _, err := range e.check() {
			wrong = append(wrong, fmt.Errorf("%s: %w", e.Name, err))
		}
		if i > 0 && order(entries[i-1], e) == 0 {
			wrong = append(wrong, fmt.Errorf("%s: the name exists twice", e.Name))
		}
	}
	return errors.Join(wrong...)
}

func order(a, b entry) int {
	return cmp.Or(cmp.Compare(slices.Index(conditions, a.Condition), slices.Index(conditions, b.Condition)), cmp.Compare(a.Name, b.Name))
}
