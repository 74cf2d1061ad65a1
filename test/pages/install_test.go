package pages

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// The commands on a page work unchanged.
func TestCommandsOfPages(t *testing.T) {
	for _, name := range slices.Concat(handwritten(t), sources(t, "internal/message/*.go"), sources(t, "internal/cli/*/*.go")) {
		for _, problem := range wrongCommands(read(t, name)) {
			t.Errorf("%s: %s", name, problem)
		}
	}
	for _, language := range languages {
		text := page(t, language, "install.md")
		for _, needed := range []string{"GOOS=linux", "docker build", "-t registry.example/", "docker push registry.example/", "kubectl kustomize config/agent |"} {
			if !strings.Contains(text, needed) {
				t.Errorf("docs/%s/install.md does not have %q", language, needed)
			}
		}
	}
}

var (
	unpublished = regexp.MustCompile(`kubectl apply -k config/agent(-privileged)?(\s|$)`)
	definitions = regexp.MustCompile(`naosu crds \| kubectl apply[^\n` + "`" + `)]*`)
)

// wrongCommands are what does not do what its reader wants of it.
func wrongCommands(text string) []string {
	var found []string
	if match := unpublished.FindString(text); match != "" {
		found = append(found, strings.TrimSpace(match)+" names an image that cannot be pulled")
	}
	for _, match := range definitions.FindAllString(text, -1) {
		if !strings.Contains(match, "--server-side") {
			found = append(found, match+": the definitions are longer than the annotation that apply writes without --server-side")
		}
	}
	if strings.Contains(text, "kubectl delete crd -l") {
		found = append(found, "kubectl delete crd -l: the definitions that naosu crds prints do not have the chart's labels")
	}
	for _, block := range blocks(text, "dockerfile") {
		found = append(found, wrongDockerfile(block)...)
	}
	return found
}

// blocks are the blocks of code of a page in a language.
func blocks(text, language string) []string {
	var found []string
	for _, part := range strings.Split("\n"+text, "\n```"+language+"\n")[1:] {
		block, _, _ := strings.Cut(part, "\n```")
		found = append(found, block)
	}
	return found
}

var instructions = []string{"FROM", "ARG", "COPY", "ENTRYPOINT", "USER", "RUN", "ENV"}

// wrongDockerfile are the lines that docker build refuses: Dockerfiles have comments on lines of their own alone.
func wrongDockerfile(text string) []string {
	var found []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		instruction, rest, _ := strings.Cut(line, " ")
		if !slices.Contains(instructions, instruction) || strings.Contains(rest, " #") {
			found = append(found, "docker build refuses the line "+line)
		}
	}
	return found
}

func TestWrongCommands(t *testing.T) {
	for text, want := range map[string]int{
		"```console\n$ kubectl apply -k config/agent        # on every node\n```\n":                     1,
		"`kubectl apply -k config/agent-privileged`\nkubectl apply -k config/agent-privileged\n":        1,
		"kubectl apply -k config/agent-metrics\n":                                                       0,
		"$ naosu crds | kubectl apply -f -\n":                                                           1,
		"$ naosu crds | kubectl apply --server-side -f -\n":                                             0,
		"$ kubectl delete crd -l app.kubernetes.io/name=naosu\n":                                        1,
		"```console\n$ x\n```\n\n```dockerfile\nFROM scratch   # with certificates\nCOPY a /a\n```\n":   1,
		"```dockerfile\nFROM scratch   # with certificates\n```\n":                                      1,
		"```dockerfile\n# with certificates\nFROM scratch\nCOPY a /a\nENTRYPOINT [\"/a\"]\n```\nmore\n": 0,
	} {
		if got := wrongCommands(text); len(got) != want {
			t.Errorf("%q: %q, want %d", text, got, want)
		}
	}
}

// The README says of what naosu does what it does: it plans evictions, and carries out none so far.
func TestReadme(t *testing.T) {
	for _, name := range []string{"README.md", "docs/ja/README.md"} {
		text := read(t, name)
		for _, absent := range []string{"rebalances", "リバランスし", "claim, volume"} {
			if strings.Contains(strings.ToLower(text), absent) {
				t.Errorf("%s promises or names %s", name, absent)
			}
		}
	}
	if text := read(t, "README.md"); !strings.Contains(text, "must be privileged") {
		t.Error("README.md does not say what a harmless drill needs")
	}
}

// Decisions rest on what the repository has, not on papers elsewhere.
func TestDecisionsCite(t *testing.T) {
	elsewhere := regexp.MustCompile(`(?i)design\.md|the design (gives|says|asks)|\(design,`)
	for _, name := range append(handwritten(t), "Makefile") {
		if match := elsewhere.FindString(read(t, name)); match != "" {
			t.Errorf("%s cites %q, which the repository does not have", name, match)
		}
	}
}
