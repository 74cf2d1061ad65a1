package explain

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/language"
)

func run(args ...string) (string, error) {
	var out bytes.Buffer
	root := &cobra.Command{Use: "naosu", SilenceErrors: true, SilenceUsage: true}
	language.AddFlag(root)
	root.AddCommand(NewCommand(genericiooptions.IOStreams{Out: &out}))
	root.SetArgs(append([]string{"explain"}, args...))
	err := root.Execute()
	return out.String(), err
}

func TestExplain(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"English":               {[]string{"N104", "--lang", "en"}, "# N104: a VolumeAttachment that is stuck\n"},
		"Japanese":              {[]string{"N104", "--lang", "ja"}, "# N104: 解放されない VolumeAttachment\n"},
		"typed in another case": {[]string{"n104", "--lang", "en"}, "# N104: "},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(tc.args...)
			if err != nil || !strings.HasPrefix(out, tc.want) {
				t.Errorf("said %.60q (%v), want %q", out, err, tc.want)
			}
		})
	}
}

func TestBadCode(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"none":     {nil, "code: missing; use one of N101, N102"},
		"unknown":  {[]string{"N999"}, `code: "N999" is not the code of a finding; use one of N101, N102`},
		"too many": {[]string{"N101", "N102"}, `code: "N101 N102" is not the code of a finding`},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(append(tc.args, "--lang", "en")...)
			if err == nil || !strings.HasPrefix(err.Error(), tc.want) || exit.Code(err) != exit.NoAnswer {
				t.Errorf("err = %v (exit code %d), want %s", err, exit.Code(err), tc.want)
			}
		})
	}
}
