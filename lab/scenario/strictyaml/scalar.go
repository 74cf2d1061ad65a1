package strictyaml

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/lab/scenario/jsonfield"
)

// foreign decodes types that bring their own reading of JSON, such as quantities and durations.
func (d *Document) foreign(n *yaml.Node, v reflect.Value, path string) bool {
	switch target := v.Addr().Interface().(type) {
	case *metav1.Duration:
		d.duration(n, target, path)
	case json.Unmarshaler:
		data, err := json.Marshal(d.Any(n, path))
		if err == nil {
			err = target.UnmarshalJSON(data)
		}
		if err != nil {
			d.Fail(n, path, "cannot be read as %s: %v", v.Type(), err)
		}
	default:
		return false
	}
	return true
}

func (d *Document) duration(n *yaml.Node, target *metav1.Duration, path string) {
	parsed, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil {
		d.Fail(n, path, "is %s, but must be a duration such as 90s, 5m or 1h30m", kindOf(n))
		return
	}
	if parsed < 0 {
		d.Fail(n, path, "is negative; time only moves on")
		return
	}
	target.Duration = parsed
}

// scalar decodes text, numbers and truth values; YAML's own reading of a plain value decides which it is.
func (d *Document) scalar(n *yaml.Node, v reflect.Value, path string) {
	value := d.Any(n, path)
	if want := set(v, value); want != "" {
		if v.Kind() == reflect.String && n.Kind == yaml.ScalarNode && !isNull(n) {
			want += fmt.Sprintf("; put it in quotes: %q", n.Value)
		}
		d.Fail(n, path, "is %s, but must be %s", kindOf(n), want)
	}
}

// set gives v the value if it is of its kind; else it says what it must be.
func set(v reflect.Value, value any) (want string) {
	switch v.Kind() {
	case reflect.String:
		if s, ok := value.(string); ok {
			v.SetString(s)
			return ""
		}
		return "text"
	case reflect.Bool:
		if b, ok := value.(bool); ok {
			v.SetBool(b)
			return ""
		}
		return "true or false"
	case reflect.Slice: // []byte
		s, ok := value.(string)
		if decoded, err := base64.StdEncoding.DecodeString(s); ok && err == nil {
			v.SetBytes(decoded)
			return ""
		}
		return "base64"
	}
	return setNumber(v, value)
}

func setNumber(v reflect.Value, value any) (want string) {
	whole, isWhole := value.(int64)
	switch {
	case v.CanInt():
		if isWhole && !v.OverflowInt(whole) {
			v.SetInt(whole)
			return ""
		}
		return "a whole number"
	case v.CanUint():
		if isWhole && whole >= 0 && !v.OverflowUint(uint64(whole)) {
			v.SetUint(uint64(whole))
			return ""
		}
		return "a whole number of at least zero"
	case v.CanFloat():
		fraction, isFraction := value.(float64)
		if isWhole {
			fraction = float64(whole)
		}
		v.SetFloat(fraction)
		if isWhole || isFraction {
			return ""
		}
		return "a number"
	}
	return "left out; it cannot be given in YAML"
}

// Any is the node as encoding/json would have it, with whole numbers as int64.
func (d *Document) Any(n *yaml.Node, path string) (value any) {
	d.follow(n, path, func(n *yaml.Node) { value = d.any(n, path) })
	return value
}

func (d *Document) any(n *yaml.Node, path string) any {
	switch n.Kind {
	case yaml.MappingNode:
		m := map[string]any{}
		d.Pairs(n, path, func(key string, _, value *yaml.Node, path string) { m[key] = d.Any(value, path) })
		return m
	case yaml.SequenceNode:
		list := make([]any, len(n.Content))
		for i, element := range n.Content {
			list[i] = d.Any(element, path+"["+strconv.Itoa(i)+"]")
		}
		return list
	case yaml.ScalarNode:
		return d.plain(n, path)
	}
	d.Fail(n, path, "cannot be read")
	return nil
}

func (d *Document) plain(n *yaml.Node, path string) any {
	switch n.ShortTag() {
	case "!!null":
		return nil
	case "!!str", "!!timestamp":
		return n.Value
	case "!!bool":
		var b bool
		if n.Decode(&b) == nil {
			return b
		}
	case "!!int":
		var i int64
		if n.Decode(&i) == nil {
			return i
		}
		d.Fail(n, path, "is too large a number")
		return nil
	case "!!float":
		var f float64
		if n.Decode(&f) == nil && !math.IsInf(f, 0) && !math.IsNaN(f) {
			return f
		}
	}
	d.Fail(n, path, "has a value that JSON cannot hold")
	return nil
}

func isNull(n *yaml.Node) bool {
	return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
}

// kindOf says what a node is, in a reader's words.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias"
	}
	switch n.ShortTag() {
	case "!!null":
		return "empty"
	case "!!bool":
		return "the truth value " + n.Value
	case "!!int", "!!float":
		return "the number " + n.Value
	}
	return "the text " + strconv.Quote(n.Value)
}

// hint names the field that was probably meant, or else all there are.
func hint(key string, t reflect.Type) string {
	var names []string
	for _, f := range jsonfield.Of(t) {
		names = append(names, f.Name)
		if strings.EqualFold(f.Name, key) || distance(f.Name, key) <= 2 {
			return "did you mean " + strconv.Quote(f.Name) + "?"
		}
	}
	if len(names) == 0 {
		return "nothing may stand here"
	}
	slices.Sort(names)
	return "it can be one of: " + strings.Join(names, ", ")
}

// distance is the Levenshtein distance of two names.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
