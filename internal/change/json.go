package change

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// marshalTagged is a change's fields as a JSON object that begins with the kind of change.
func marshalTagged(kind string, fields any) ([]byte, error) {
	data, err := json.Marshal(fields)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", kind, err)
	}
	head := fmt.Appendf(nil, `{"kind":%q`, kind)
	if rest := bytes.TrimPrefix(data, []byte("{")); !bytes.Equal(rest, []byte("}")) {
		return append(append(head, ','), rest...), nil
	}
	return append(head, '}'), nil
}
