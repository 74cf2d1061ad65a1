package change

import "strings"

// Flag is one of kubectl's flags that choose a cluster, such as --context.
type Flag struct {
	Name, Value string
}

// WithFlags adds flags to each kubectl and naosu that a command runs, so that it reaches the cluster that was asked about. The command must be
// one of this package's, whose words are quoted in single quotes if at all.
func WithFlags(line string, flags ...Flag) string {
	if len(flags) == 0 {
		return line
	}
	var added strings.Builder
	for _, flag := range flags {
		between := " "
		if strings.HasPrefix(flag.Value, "-") {
			between = "="
		}
		added.WriteString(" --" + flag.Name + between + quoteLiteral(flag.Value))
	}
	var aimed strings.Builder
	for begin := true; line != ""; {
		word := line[:wordEnd(line)]
		line = line[len(word):]
		aimed.WriteString(word)
		switch word {
		case " ", "xargs", "-I", "POD":
			continue // What xargs runs is still to come.
		case "kubectl", "naosu":
			if begin {
				aimed.WriteString(added.String())
			}
		}
		begin = word == "|" || word == "&&"
	}
	return aimed.String()
}

// quoteLiteral is a word that stands for itself, also where it looks like one that the reader is to fill in.
func quoteLiteral(word string) string {
	if plainWord.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// wordEnd is where the first word of a line ends, what is quoted in it included; a space is a word of its own.
func wordEnd(line string) int {
	quoted := false
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\'':
			quoted = !quoted
		case c == '\\' && !quoted:
			i++
		case c == ' ' && !quoted:
			return max(i, 1)
		}
	}
	return len(line)
}
