// Command generate makes the catalogue's code and its pages of catalogue.yaml.
package main

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"

	"go.yaml.in/yaml/v3"
)

func main() {
	if err := generate("catalogue.yaml", "xid.yaml", "catalogue.go", "../../../docs"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate(from, xids, code, docs string) error {
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	entries, err := read(text)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	table, err := readXIDs(xids)
	if err != nil {
		return fmt.Errorf("%s: %w", xids, err)
	}
	entries = append(entries, table.entries()...)
	slices.SortStableFunc(entries, order)
	if err := checked(entries); err != nil {
		return err
	}
	source, err := codeOf(entries)
	if err != nil {
		return err
	}
	if err := os.WriteFile(code, source, 0o644); err != nil {
		return err
	}
	for _, language := range []string{"en", "ja"} {
		if err := os.WriteFile(docs+"/"+language+"/reasons.md", pageOf(entries, language), 0o644); err != nil {
			return err
		}
		if err := os.WriteFile(docs+"/"+language+"/xid.md", xidPage(table, language), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// read is the catalogue, in order.
func read(text []byte) ([]entry, error) {
	decoder := yaml.NewDecoder(bytes.NewReader(text))
	decoder.KnownFields(true)
	var entries []entry
	if err := decoder.Decode(&entries); err != nil {
		return nil, err
	}
	for i, e := range entries[1:] {
		if order(entries[i], e) >= 0 {
			return nil, fmt.Errorf("%s: comes before %s", e.Name, entries[i].Name)
		}
	}
	return entries, nil
}

// checked is all that is wrong with any entry: a reason that says too little is not shipped.
func checked(entries []entry) error {
	var wrong []error
	for i, e := range entries {
		for _, err := range e.check() {
			wrong = append(wrong, fmt.Errorf("%s: %w", e.Name, err))
		}
		if i > 0 && order(entries[i-1], e) == 0 {
			wrong = append(wrong, fmt.Errorf("%s: there are two", e.Name))
		}
	}
	return errors.Join(wrong...)
}

func order(a, b entry) int {
	return cmp.Or(cmp.Compare(slices.Index(conditions, a.Condition), slices.Index(conditions, b.Condition)), cmp.Compare(a.Name, b.Name))
}
