// Command generate writes the catalogue of findings into docs/.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/naosu-dev/naosu/internal/message/codes"
)

// docs is seen from the folder that go generate runs in.
const docs = "../../../docs"

func main() {
	for _, language := range codes.Languages {
		path := filepath.Join(docs, language, "findings.md")
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			fail(err)
		}
		if err := os.WriteFile(path, []byte(codes.Page(language)), 0o644); err != nil {
			fail(err)
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "writing the catalogue of findings:", err)
	os.Exit(1)
}
