package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// maxJSON bounds, in bytes, one object as text. In protobuf the API server takes no more than 3 MiB.
const maxJSON = 12 << 20

// jsonFile reads JSON values one after the other, each a list or a single object. A list is read item by item, so that
// its length does not matter.
func (g *loader) jsonFile(name string, r io.Reader) error {
	j := newJSONReader(g, name, r)
	for {
		switch err := j.value(); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && !errors.Is(err, errStopped):
			return fmt.Errorf("near byte %d: %w", j.InputOffset(), err)
		case err != nil:
			return err
		}
	}
}

type jsonReader struct {
	*loader
	*json.Decoder
	name  string
	quota *quotaReader
}

func newJSONReader(g *loader, name string, r io.Reader) *jsonReader {
	quota := &quotaReader{r: r, left: maxJSON}
	return &jsonReader{loader: g, name: name, quota: quota, Decoder: json.NewDecoder(quota)}
}

// quotaReader reads a limited number of bytes until more are granted, because a decoder would hold a value of any length in memory.
type quotaReader struct {
	r    io.Reader
	left int
}

func (r *quotaReader) Read(p []byte) (int, error) {
	if r.left <= 0 {
		return 0, ErrTooLarge
	}
	n, err := r.r.Read(p[:min(len(p), r.left)])
	r.left -= n
	return n, err
}

// raw is the next value.
func (j *jsonReader) raw() (json.RawMessage, error) {
	j.quota.left = maxJSON
	var value json.RawMessage
	err := j.Decode(&value)
	return value, err
}

// value reads one list or object. An object's other fields are read one by one, and put together again: whether it
// is a list is known at its end only.
func (j *jsonReader) value() error {
	token, err := j.Token()
	if err != nil {
		return err
	}
	if token != json.Delim('{') {
		return fmt.Errorf("an object is expected, not %.40v", token)
	}
	head := &listHead{}
	fields := map[string]json.RawMessage{}
	size, items := 0, false
	for j.More() {
		key, err := j.Token()
		if err != nil {
			return unexpected(err)
		}
		if key == "items" {
			items = true
			if err := j.items(head); err != nil {
				return unexpected(err)
			}
			continue
		}
		field, err := j.raw()
		if err != nil {
			return unexpected(err)
		}
		if size += len(field); size > maxJSON {
			return ErrTooLarge
		}
		fields[key.(string)] = field
	}
	if _, err := j.Token(); err != nil {
		return unexpected(err)
	}
	return j.end(head, fields, items)
}

// end handles the fields of a list or object once it was read.
func (j *jsonReader) end(head *listHead, fields map[string]json.RawMessage, items bool) error {
	// A value that is no string is taken as missing, and reported where it is needed.
	_ = json.Unmarshal(fields["apiVersion"], &head.version)
	_ = json.Unmarshal(fields["kind"], &head.kind)
	if _, list := isList(head.kind); list || items {
		j.noteList(head)
		return nil
	}
	data, err := json.Marshal(fields)
	if err != nil {
		return err
	}
	if head.version == "" || head.kind == "" {
		return errNameless
	}
	return j.add(raw{name: j.name, encoding: asJSON, version: head.version, kind: Kind(head.kind), data: data})
}

func (j *jsonReader) items(head *listHead) error {
	token, err := j.Token()
	if err != nil || token == nil {
		return err
	}
	if token != json.Delim('[') {
		return fmt.Errorf("a list's items are expected, not %.40v", token)
	}
	for j.More() {
		item, err := j.raw()
		if err != nil {
			return err
		}
		if err := j.add(raw{name: j.name, encoding: asJSON, list: head, data: item}); err != nil {
			return err
		}
	}
	_, err = j.Token()
	return err
}

// unexpected makes the end of the file an error: it is in the midst of a value.
func unexpected(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
