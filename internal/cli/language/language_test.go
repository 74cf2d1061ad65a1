package language

import (
	"testing"

	"github.com/spf13/cobra"
)

// TestWanted is about lines whose flags were read only as far as the one that is wrong.
func TestWanted(t *testing.T) {
	t.Setenv("LC_ALL", "C")
	for name, tc := range map[string]struct {
		line []string
		want string
	}{
		"none":             {[]string{"why", "--nope"}, "en"},
		"behind the error": {[]string{"why", "--nope", "--lang", "ja"}, "ja"},
		"with =":           {[]string{"why", "--nope", "--lang=ja"}, "ja"},
		"not a language":   {[]string{"why", "--lang", "xx"}, "en"},
		"without a value":  {[]string{"why", "--lang"}, "en"},
	} {
		t.Run(name, func(t *testing.T) {
			cmd := &cobra.Command{}
			AddFlag(cmd)
			if got := Wanted(cmd, tc.line).Language(); got != tc.want {
				t.Errorf("language %s, want %s", got, tc.want)
			}
		})
	}
}
