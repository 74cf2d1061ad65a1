package own

import "strings"

// RemediationName is a Remediation's name as a person gives it: alone, or after its kind, as naosu and kubectl -o name print it. It is
// false if another kind, or no name, is given.
func RemediationName(given string) (name string, ok bool) {
	name = given
	for _, kind := range []string{"remediation/", "remediation.naosu.dev/"} {
		name = strings.TrimPrefix(name, kind)
	}
	return name, name != "" && !strings.ContainsAny(name, " /")
}
