package expr

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestDocumented keeps docs/en/scenarios.md in step with the language.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile("../../../docs/en/scenarios.md")
	if err != nil {
		t.Fatal(err)
	}
	var rows []string
	for _, k := range Kinds {
		rows = append(rows, fmt.Sprintf("| `%s` | %s |", k.Variable, k.Holds))
	}
	for _, f := range Functions {
		rows = append(rows, fmt.Sprintf("| `%s` | %s |", f.Usage, f.Meaning))
	}
	for _, row := range rows {
		if !strings.Contains(string(text), row) {
			t.Errorf("docs/en/scenarios.md lacks the row\n%s", row)
		}
	}
}
