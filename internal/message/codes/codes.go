// Package codes is the catalogue of findings: for each code an entry in each language, which `naosu explain` prints and
// docs/ is generated from.
package codes

import (
	"embed"
	"fmt"
	"strings"

	"github.com/naosu-dev/naosu/internal/finding"
)

//go:generate go run ./generate

//go:embed en/*.md ja/*.md
var entries embed.FS

// Languages are those that have every entry.
var Languages = []string{"en", "ja"}

// Entry is what a code means, in Markdown. It panics if there is none, which a test sees to.
func Entry(language string, code finding.Code) string {
	data, err := entries.ReadFile(fmt.Sprintf("%s/%s.md", language, code))
	if err != nil {
		panic("codes: " + err.Error())
	}
	return string(data)
}

// Page is every entry of a language as one document, after its introduction.
func Page(language string) string {
	intro, err := entries.ReadFile(language + "/intro.md")
	if err != nil {
		panic("codes: " + err.Error())
	}
	var page strings.Builder
	page.Write(intro)
	for _, code := range finding.Codes {
		page.WriteString("\n#" + Entry(language, code))
	}
	return page.String()
}
