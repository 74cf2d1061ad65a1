package pages

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// root is the repository.
var root = filepath.Join("..", "..")

// handwritten are the Markdown pages that people read, from the root.
func handwritten(t *testing.T) []string {
	t.Helper()
	found := slices.Concat(files(t, "*.md"), files(t, "docs/*/*.md"))
	found = slices.DeleteFunc(found, func(name string) bool { return name == "docs/adr/template.md" })
	if len(found) < 30 {
		t.Fatalf("there are %d pages", len(found))
	}
	return found
}

// sources are the Go files of a pattern without tests.
func sources(t *testing.T, pattern string) []string {
	t.Helper()
	return slices.DeleteFunc(files(t, pattern), func(name string) bool { return strings.HasSuffix(name, "_test.go") })
}

// files are those of a pattern, from the root.
func files(t *testing.T, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(found), err)
	}
	for i, file := range found {
		name, err := filepath.Rel(root, file)
		if err != nil {
			t.Fatal(err)
		}
		found[i] = filepath.ToSlash(name)
	}
	return found
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// Links between pages lead to files and headings that are there.
func TestLinks(t *testing.T) {
	for _, from := range handwritten(t) {
		for _, link := range linksOf(read(t, from)) {
			if problem := broken(t, from, link); problem != "" {
				t.Errorf("%s: the link %s: %s", from, link, problem)
			}
		}
	}
}

var inlineLink = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// linksOf are the targets of the links of a page that lead into the repository.
func linksOf(text string) []string {
	var found []string
	for _, match := range inlineLink.FindAllStringSubmatch(prose(text), -1) {
		if !strings.Contains(match[1], "://") && !strings.HasPrefix(match[1], "mailto:") {
			found = append(found, match[1])
		}
	}
	return found
}

// prose is a page without its blocks of code.
func prose(text string) string {
	var kept strings.Builder
	code := false
	for line := range strings.Lines(text) {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			code = !code
			continue
		}
		if !code {
			kept.WriteString(line)
		}
	}
	return kept.String()
}

// broken says why a link leads nowhere; empty if it does not.
func broken(t *testing.T, from, link string) string {
	t.Helper()
	file, heading, _ := strings.Cut(link, "#")
	to := from
	if file != "" {
		to = filepath.ToSlash(filepath.Join(filepath.Dir(from), file))
	}
	if _, err := os.Stat(filepath.Join(root, to)); err != nil {
		return "there is no " + to
	}
	if heading != "" && strings.HasSuffix(to, ".md") && !anchors(read(t, to))[heading] {
		return to + " has no such heading"
	}
	return ""
}

// anchors are the names that GitHub gives the headings of a page.
func anchors(text string) map[string]bool {
	found := map[string]bool{}
	for line := range strings.Lines(prose(text)) {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			found[anchor(title)] = true
		}
	}
	return found
}

func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r) || unicode.IsMark(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(title))
}

func TestBrokenLinks(t *testing.T) {
	text := "See [a](README.md#see-it-work), [b](no-such.md), [c](README.md#no-such-heading), [d](https://example.com/x.md).\n```\n[e](code.md)\n```\n"
	var got []string
	for _, link := range linksOf(text) {
		if broken(t, "CONTRIBUTING.md", link) != "" {
			got = append(got, link)
		}
	}
	if diff := cmp.Diff([]string{"no-such.md", "README.md#no-such-heading"}, got); diff != "" {
		t.Errorf("broken links (-want +got):\n%s", diff)
	}
}
