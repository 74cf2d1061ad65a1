package cluster

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
)

// maxYAML bounds, in bytes, what is parsed at once: an item of a list, or a document without its list's items. Parsed
// YAML takes up many times its size.
const maxYAML = 6 << 20

// yamlFile reads documents one after the other, each a list or a single object. Lists as kubectl writes them, an item
// after the other in lines of their own, are read item by item; whatever else is read as a whole.
func (g *loader) yamlFile(name string, r *bufio.Reader) error {
	d := &yamlDocument{loader: g, name: name}
	for {
		line, err := readLine(r)
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(line) > 0 {
			d.number++
		}
		if fault := d.line(line); fault != nil {
			return fault
		}
		if err != nil {
			return d.end()
		}
	}
}

// readLine reads a line with its end.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		line = append(line, part...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
		if len(line) > maxYAML {
			return nil, ErrTooLarge
		}
	}
}

// errKindless is the error of a list that has no kind, as one that was truncated between two lines: kubectl writes the kind after the items.
var errKindless = errors.New("it does not say its kind; if kubectl wrote it, its end is missing")

// yamlDocument is a document as far as it was read.
type yamlDocument struct {
	*loader
	name string
	// rest is the document without the items, and item is the present item.
	rest, item []byte
	head       *listHead
	number     int // of the present line, counted from one
	itemAt     int // the number of the item's first line
	// indent is the indentation of items; negative outside of them.
	indent int
	within bool
}

func (d *yamlDocument) line(line []byte) error {
	text := bytes.TrimLeft(line, " ")
	indent := len(line) - len(text)
	if indent == 0 && isSeparator(line) {
		return d.end()
	}
	if d.within {
		if kept, err := d.itemLine(line, text, indent); kept || err != nil {
			return err
		}
	}
	if indent == 0 && string(bytes.TrimRight(line, " \r\n")) == "items:" && d.head == nil {
		d.within, d.indent, d.head = true, -1, &listHead{}
		return nil
	}
	return d.keep(&d.rest, line)
}

// itemLine adds a line to the present item; the first that does not belong to one ends the items.
func (d *yamlDocument) itemLine(line, text []byte, indent int) (kept bool, err error) {
	blank := len(bytes.TrimSpace(text)) == 0 || text[0] == '#'
	dash := bytes.HasPrefix(text, []byte("- ")) || string(bytes.TrimRight(text, " \r\n")) == "-"
	begins := dash && (d.indent < 0 || indent == d.indent)
	if blank || !begins && d.indent >= 0 && indent > d.indent {
		return true, d.keep(&d.item, line)
	}
	if err := d.endItem(); err != nil {
		return false, err
	}
	if !begins {
		d.within = false
		return false, nil
	}
	d.indent, d.itemAt = indent, d.number
	line = bytes.Clone(line)
	line[indent] = ' ' // What follows the dash is a document of its own, standing in a little.
	return true, d.keep(&d.item, line)
}

// isSeparator says whether a line ends a document. What follows "---" on the line is at most a comment.
func isSeparator(line []byte) bool {
	mark := bytes.TrimRight(line, " \t\r\n")
	return string(mark) == "---" || string(mark) == "..." || bytes.HasPrefix(line, []byte("--- #"))
}

func (*yamlDocument) keep(part *[]byte, line []byte) error {
	if len(*part)+len(line) > maxYAML {
		return ErrTooLarge
	}
	*part = append(*part, line...)
	return nil
}

// endItem adds the present item.
func (d *yamlDocument) endItem() error {
	item := d.item
	d.item = nil
	if d.indent < 0 || len(bytes.TrimSpace(item)) == 0 {
		return nil
	}
	return d.add(raw{name: d.name, encoding: asYAML, line: d.itemAt, list: d.head, data: item})
}

// end ends the document.
func (d *yamlDocument) end() error {
	if err := d.endItem(); err != nil {
		return err
	}
	rest, head := d.rest, d.head
	*d = yamlDocument{loader: d.loader, name: d.name, number: d.number}
	data, err := jsonOf(rest)
	if err != nil {
		return fmt.Errorf("in the document that ends at line %d: %w", d.number, err)
	}
	empty := string(data) == "null"
	switch {
	case empty && head == nil:
		return nil
	case head == nil:
		if err := newJSONReader(d.loader, d.name, bytes.NewReader(data)).value(); err != nil && !errors.Is(err, errStopped) {
			return fmt.Errorf("in the document that ends at line %d: %w", d.number, err)
		}
		return nil
	case empty:
		return fmt.Errorf("in the list that ends at line %d: %w", d.number, errKindless)
	}
	said, err := typeOf(data)
	if err != nil {
		return fmt.Errorf("beside a list's items: %w", err)
	}
	if said.Kind == "" {
		return fmt.Errorf("in the list that ends at line %d: %w", d.number, errKindless)
	}
	head.version, head.kind = said.APIVersion, said.Kind
	d.noteList(head)
	return nil
}
