package language

import (
	"testing"

	"github.com/spf13/cobra"
)

func TestLocale(t *testing.T) {
	for name, tc := range map[string]struct {
		env  map[string]string
		want string
	}{
		"nothing":              {nil, "en"},
		"Japanese":             {map[string]string{"LANG": "ja_JP.UTF-8"}, "ja"},
		"without a country":    {map[string]string{"LANG": "ja.UTF-8"}, "ja"},
		"a language alone":     {map[string]string{"LANG": "ja"}, "ja"},
		"messages before LANG": {map[string]string{"LANG": "ja_JP.UTF-8", "LC_MESSAGES": "en_US.UTF-8"}, "en"},
		"LC_ALL before all":    {map[string]string{"LANG": "en_US.UTF-8", "LC_MESSAGES": "en_US.UTF-8", "LC_ALL": "ja_JP.UTF-8"}, "ja"},
		"one it does not know": {map[string]string{"LANG": "jam_JM.UTF-8"}, "en"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := fromLocale(func(key string) string { return tc.env[key] }).Language(); got != tc.want {
				t.Errorf("language %s, want %s", got, tc.want)
			}
		})
	}
}

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
