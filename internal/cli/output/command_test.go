package output

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/naosu-dev/naosu/internal/finding"
)

// A flag's value stays whole where a command in a paragraph is broken: else it could not be pasted.
func TestQuotedValuesStayWhole(t *testing.T) {
	for _, text := range []string{
		"More: naosu --context 'team a production eu' why pod/web-7d9f8c-x2x4z --namespace shop",
		"More: naosu why -A -l 'app in (web, shop)' --context 'it'\\''s a b' and the pod's owner's name",
	} {
		for width := 12; width < 100; width++ {
			var out bytes.Buffer
			NewPageOf(&out, width, false).Paragraph("  ", text, Plain)
			for _, value := range []string{"'team a production eu'", "'app in (web, shop)'", "'it'\\''s a b'"} {
				if strings.Contains(text, value) && !strings.Contains(out.String(), value) {
					t.Fatalf("at %d columns %s is broken:\n%s", width, value, out.String())
				}
			}
		}
	}
	var out bytes.Buffer
	NewPageOf(&out, 20, false).Paragraph("", "it's broken where words end, isn't it", Plain)
	if strings.Count(out.String(), "\n") != 2 {
		t.Errorf("apostrophes keep words together:\n%s", out.String())
	}
}

// What is worse stands out, on a terminal with colours alone.
func TestSeverityStyles(t *testing.T) {
	styles := map[Style]finding.Severity{}
	for _, severity := range []finding.Severity{finding.Critical, finding.Warning, finding.Info} {
		style := OfSeverity(severity)
		if other, taken := styles[style]; taken {
			t.Errorf("%s looks as %s does", severity, other)
		}
		styles[style] = severity
		for _, colour := range []bool{true, false} {
			var out bytes.Buffer
			NewPageOf(&out, 80, colour).Paragraph("", "HEAD", style)
			if has := strings.Contains(out.String(), "\x1b["); has != colour {
				t.Errorf("%s, with colours %t: %q", severity, colour, out.String())
			}
		}
	}
}

func TestAsCalled(t *testing.T) {
	plugin := &cobra.Command{Use: "naosu", Annotations: map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl naosu"}}
	below := &cobra.Command{Use: "why"}
	plugin.AddCommand(below)
	for line, want := range map[string]string{
		"naosu why pod/naosu -n naosu":                    "kubectl naosu why pod/naosu -n naosu",
		"naosu crds | kubectl apply -f -":                 "kubectl naosu crds | kubectl apply -f -",
		"kubectl get pods -n naosu && naosu cleanup":      "kubectl get pods -n naosu && kubectl naosu cleanup",
		"kubectl delete pod/naosu --namespace naosu":      "kubectl delete pod/naosu --namespace naosu",
		"naosu-lab scale group/general --to 6":            "naosu-lab scale group/general --to 6",
		"kubectl get deployment -o name | naosu why -f -": "kubectl get deployment -o name | kubectl naosu why -f -",
	} {
		if got := AsCalled(below, line); got != want {
			t.Errorf("%s: %s, want %s", line, got, want)
		}
		if got := AsCalled(&cobra.Command{Use: "naosu"}, line); got != line {
			t.Errorf("%s by its own name: %s", line, got)
		}
	}
}
