package change

import (
	"regexp"
	"strings"
)

var (
	plainWord   = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)
	placeholder = regexp.MustCompile(`<[a-z][a-z-]*>`)
)

// Placeholders are the parts of a command that the reader must fill in, in order, such as "<cluster>".
func Placeholders(command string) []string { return placeholder.FindAllString(command, -1) }

// ListWebhooks is the command that lists the admission webhooks with their configurations and timeouts.
func ListWebhooks() string {
	return command("kubectl", "get", "mutatingwebhookconfigurations,validatingwebhookconfigurations",
		"--output", "custom-columns=KIND:.kind,NAME:.metadata.name,WEBHOOKS:.webhooks[*].name,SECONDS:.webhooks[*].timeoutSeconds")
}

// ListAPIServices is the command that lists the APIs with the Services behind them, and whether they respond.
func ListAPIServices() string { return command("kubectl", "get", "apiservices") }

// RunCronJob is the command that creates a Job from a CronJob now. The name of a CronJob leaves room for the suffix.
func RunCronJob(o Ref) string {
	return command("kubectl", "create", "job", o.Name+"-manual", "--namespace", o.Namespace, "--from", o.String())
}

// ApplyRebalance is the command that requests the evictions of a plan, with further flags.
func ApplyRebalance(flags ...Flag) string {
	words := []string{"naosu", "rebalance", "apply"}
	for _, flag := range flags {
		words = append(words, "--"+flag.Name+"="+flag.Value)
	}
	return command(append(words, "--yes")...)
}

// WatchRemediation is the command that shows each change of a Remediation.
func WatchRemediation(name string) string { return command("naosu", "remediations", name, "--watch") }

// ApproveRemediation is the command that approves a Remediation.
func ApproveRemediation(name string) string { return command("naosu", "approve", name) }

// command joins words into a line that can be pasted into a shell. Names come from the cluster and are quoted unless
// they are harmless: whoever may label a node must not be able to write the reader's command line.
func command(words ...string) string {
	quoted := make([]string, 0, len(words))
	for _, word := range words {
		quoted = append(quoted, quote(word))
	}
	return strings.Join(quoted, " ")
}

func quote(word string) string {
	if plainWord.MatchString(word) || placeholder.FindString(word) == word && word != "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func placeholderFor(what string) string { return "<" + what + ">" }

func orPlaceholder(known, what string) string {
	if known != "" {
		return known
	}
	return placeholderFor(what)
}
