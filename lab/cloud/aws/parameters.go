package aws

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// parameters are what a call is given, in the spelling of the query protocols: lists are numbered from one, "Name.1".
type parameters map[string][]string

func readForm(r *http.Request) (action string, given parameters) {
	if err := r.ParseForm(); err != nil {
		return "", nil // no action, which is refused
	}
	return r.Form.Get("Action"), parameters(r.Form)
}

func (p parameters) text(name string) string { return url.Values(p).Get(name) }

func (p parameters) flag(name string) (bool, error) {
	text := p.text(name)
	if text == "" {
		return false, nil
	}
	value, err := strconv.ParseBool(text)
	if err != nil {
		return false, refuse(cloud.CodeInvalidParameter, "Invalid value '%s' for %s. Value must be a boolean.", text, name)
	}
	return value, nil
}

// count is a number that is not negative; zero if it is not given.
func (p parameters) count(name string) (int, error) {
	text := p.text(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 0 {
		return 0, refuse(cloud.CodeInvalidParameter, "Value (%s) for parameter %s is invalid. Must be a number that is not negative.", text, name)
	}
	return n, nil
}

// tags are the numbered keys and values below a prefix.
func (p parameters) tags(prefix string) map[string]string {
	tags := map[string]string{}
	for n := 1; ; n++ {
		key := p.text(fmt.Sprintf("%s.%d.Key", prefix, n))
		if key == "" {
			return tags
		}
		tags[key] = p.text(fmt.Sprintf("%s.%d.Value", prefix, n))
	}
}

// list has the elements of a list, each under one of the prefix's numbers.
func (p parameters) list(prefix string) []string {
	var values []string
	for i := 1; ; i++ {
		value, given := p[fmt.Sprintf("%s.%d", prefix, i)]
		if !given {
			return values
		}
		values = append(values, value...)
	}
}

// narrowed says whether a Describe call asks for less than everything at once.
func (p parameters) narrowed() bool {
	for name := range p {
		kind, _, _ := strings.Cut(name, ".")
		if slices.Contains([]string{"MaxResults", "Filter", "InstanceId", "InstanceType", "NetworkInterfaceId", "SubnetId"}, kind) {
			return true
		}
	}
	return false
}

// page is the part of a sorted list that a call asks for. A token names the last item of the page before, so that what
// comes and goes in between moves nothing.
type page struct {
	after string
	size  int
}

// readPage reads which page is wanted; without a size there is one page of what can be at most.
func (p parameters) readPage(size string, lowest, highest, usual int) (page, error) {
	wanted := page{size: usual}
	if text := p.text(size); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < lowest || n > highest {
			return page{}, refuse(cloud.CodeInvalidParameter, "Value ( %s ) for parameter %s is invalid. Expecting a value from %d to %d.", text, size, lowest, highest)
		}
		wanted.size = n
	}
	if token := p.text("NextToken"); token != "" {
		after, err := base64.RawURLEncoding.DecodeString(token)
		if err != nil {
			return page{}, refuse(cloud.CodeInvalidParameter, "Unable to parse pagination token")
		}
		wanted.after = string(after)
	}
	return wanted, nil
}

// again is a token for the same page once more.
func (p page) again() string { return base64.RawURLEncoding.EncodeToString([]byte(max(p.after, " "))) }

// take is the page, and the token for the next one if there is more.
func take[T any](wanted page, items []T, name func(T) string) (taken []T, token string) {
	items = slices.SortedFunc(slices.Values(items), func(a, b T) int { return strings.Compare(name(a), name(b)) })
	start := slices.IndexFunc(items, func(item T) bool { return name(item) > wanted.after })
	if start < 0 {
		return nil, ""
	}
	items = items[start:]
	if len(items) <= wanted.size {
		return items, ""
	}
	last := items[wanted.size-1]
	return items[:wanted.size], base64.RawURLEncoding.EncodeToString([]byte(name(last)))
}
