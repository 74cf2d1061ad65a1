package aws

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// resource is a kind of thing that EC2's Describe calls return: how calls name one, and what they can filter by.
type resource[T any] struct {
	// parameter is that of the IDs, such as "InstanceId"; set is the list's name in EC2's messages.
	parameter, set string
	// pattern is that of an ID. The codes and messages are for those that do not have it, and for one and more that are not there.
	pattern             *regexp.Regexp
	malformed, notFound string
	absent, absents     string
	// filters are the names that filters may have beside "tag:…"; fields are what they read.
	filters []string
	fields  func(T) map[string][]string
	id      func(T) string
	// The bounds of MaxResults. With pagesOrIDs, a call may not give both it and IDs.
	lowest, highest int
	pagesOrIDs      bool
}

// named are those of all that the call names; each must be there.
func named[T any](r request, kind resource[T], all []T) ([]T, error) {
	var found []T
	var missing []string
	for _, id := range r.parameters.list(kind.parameter) {
		at := slices.IndexFunc(all, func(t T) bool { return kind.id(t) == id })
		switch {
		case at >= 0:
			found = append(found, all[at])
		case !kind.pattern.MatchString(id):
			return nil, refuse(kind.malformed, `Invalid id: "%s"`, id)
		default:
			missing = append(missing, id)
		}
	}
	switch len(missing) {
	case 0:
		return found, nil
	case 1:
		return nil, refuse(kind.notFound, kind.absent, missing[0])
	}
	return nil, refuse(kind.notFound, kind.absents, strings.Join(missing, ", "))
}

// selection is the page that a Describe call asks for, of what it shows. As in EC2, a filter works on the page: one may be empty and
// still not be the last.
func selection[T any](r request, kind resource[T], all []T, shows func(T) bool) (selected []T, token string, err error) {
	filters, err := r.parameters.filters(kind.filters)
	if err != nil {
		return nil, "", err
	}
	wanted, err := r.parameters.readPage("MaxResults", kind.lowest, kind.highest, kind.highest)
	if err != nil {
		return nil, "", err
	}
	found, err := named(r, kind, all)
	if err != nil {
		return nil, "", err
	}
	if len(found) == 0 {
		found = all
	} else if kind.pagesOrIDs && r.parameters.text("MaxResults") != "" {
		return nil, "", refuse(cloud.CodeInvalidParameterCombination, "The parameter %s cannot be used with the parameter maxResults", kind.set)
	}
	if r.server.takeEmptyPage("ec2:" + r.action) {
		return nil, wanted.again(), nil
	}
	found = slices.DeleteFunc(slices.Clone(found), func(t T) bool { return !shows(t) })
	found, token = take(wanted, found, kind.id)
	found = slices.DeleteFunc(slices.Clone(found), func(t T) bool {
		return !matchesAll(filters, kind.fields(t))
	})
	return found, token, nil
}

// filter keeps what has one of its values, in which "*" and "?" stand for any characters and any one.
type filter struct {
	name   string
	values []*regexp.Regexp
}

func (p parameters) filters(names []string) ([]filter, error) {
	var filters []filter
	for n := 1; ; n++ {
		at := fmt.Sprintf("Filter.%d", n)
		name := p.text(at + ".Name")
		if name == "" {
			return filters, nil
		}
		if !slices.Contains(names, name) && !strings.HasPrefix(name, "tag:") {
			return nil, refuse(cloud.CodeInvalidParameter, "The filter '%s' is invalid", name)
		}
		f := filter{name: name}
		for _, value := range p.list(at + ".Value") {
			f.values = append(f.values, wildcard(value))
		}
		filters = append(filters, f)
	}
}

func wildcard(pattern string) *regexp.Regexp {
	quoted := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(pattern))
	return regexp.MustCompile(`(?s)^` + quoted + `$`)
}

func (f filter) matches(fields map[string][]string) bool {
	return slices.ContainsFunc(fields[f.name], func(field string) bool {
		return slices.ContainsFunc(f.values, func(value *regexp.Regexp) bool { return value.MatchString(field) })
	})
}

func matchesAll(filters []filter, fields map[string][]string) bool {
	return !slices.ContainsFunc(filters, func(f filter) bool { return !f.matches(fields) })
}

// every shows everything.
func every[T any](T) bool { return true }

// addTags adds what filters read of tags.
func addTags(fields map[string][]string, tags []tag) map[string][]string {
	for _, t := range tags {
		fields["tag-key"] = append(fields["tag-key"], t.Key)
		fields["tag:"+t.Key] = []string{t.Value}
	}
	return fields
}

// idPattern is that of IDs with a prefix: https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/resource-ids.html.
func idPattern(prefix string) *regexp.Regexp {
	return regexp.MustCompile(`^` + prefix + `-([0-9a-f]{8}|[0-9a-f]{17})$`)
}
