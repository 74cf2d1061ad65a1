package locale

import "testing"

func TestLanguage(t *testing.T) {
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
			if got := Language(func(key string) string { return tc.env[key] }); got != tc.want {
				t.Errorf("language %s, want %s", got, tc.want)
			}
		})
	}
}
