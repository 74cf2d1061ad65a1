package message

var englishErrors = sentences{
	ErrBadInput:         "{{if .field}}{{.field}}: {{end}}{{.problem}}; {{.remedy}}",
	ErrSeeHelp:          "see {{.command}} --help",
	ErrNoCommand:        "unknown command \"{{.given}}\" for \"{{.command}}\"",
	ErrFlag:             "{{.problem}}",
	ErrNoFlag:           "unknown flag {{.flag}}",
	ErrFlagValue:        "{{.flag}} needs a value",
	ErrValue:            "{{.given}} is not a valid value",
	ErrKubeconfig:       "{{.problem}}",
	ErrKubeconfigRemedy: "choose another with --kubeconfig or KUBECONFIG, or a context with --context",
	ErrNotOneOf:         "{{.given}} is not a valid value",
	ErrUseOneOf:         "use {{or .choices}}",
	ErrInterrupted:      "interrupted",
	ErrUnauthorized:     "the API server at {{.host}} rejected your credentials; renew them, or choose others with --context or --user",
	ErrForbidden:        "permission denied: {{.problem}}",
	ErrAnswered:         "the API server at {{.host}} returned an error: {{.answer}}",
	ErrTimeout:          "the API server at {{.host}} did not respond in time; check that this machine can reach it, or raise --request-timeout",
	ErrUnreachable:      "cannot reach the API server at {{.host}}: {{.problem}}; check that it is running, or choose another cluster with --context or --kubeconfig",
	ErrAskWhy:           "give an object, as in: why pod/NAME -n NAMESPACE",
	ErrMissing:          "missing",
	ErrNoSubject:        "naosu cannot explain {{.given}}",
}
