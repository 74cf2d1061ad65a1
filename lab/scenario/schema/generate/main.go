// Command generate writes the schema of the scenario format; `go generate ./lab/scenario/schema` runs it.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/naosu-dev/naosu/lab/scenario/schema"
)

const root = "../../.."

func main() {
	data, err := schema.Generate(root)
	if err == nil {
		err = os.WriteFile(filepath.Join(root, schema.File), data, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}
