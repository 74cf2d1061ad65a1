package message

var englishErrors = sentences{
	ErrBadInput:         "{{.field}}: {{.problem}}; {{.remedy}}",
	ErrSeeHelp:          "see {{.command}} --help",
	ErrNoCommand:        "{{.given}} is none of {{.command}}'s",
	ErrFlag:             "{{.problem}}",
	ErrNoFlag:           "there is no flag {{.flag}}",
	ErrFlagValue:        "{{.flag}} needs a value",
	ErrValue:            "{{.given}} cannot be read as its value",
	ErrKubeconfig:       "{{.problem}}",
	ErrKubeconfigRemedy: "choose another with --kubeconfig or KUBECONFIG, or a context with --context",
	ErrNotOneOf:         "{{.given}} is not one of them",
	ErrUseOneOf:         "use {{or .choices}}",
	ErrInterrupted:      "interrupted",
	ErrUnauthorized:     "the API server at {{.host}} does not accept your credentials; renew them, or choose others with --context or --user",
	ErrForbidden:        "permission is missing: {{.problem}}",
	ErrAnswered:         "the API server at {{.host}} answered: {{.answer}}",
	ErrTimeout:          "the API server at {{.host}} does not answer in time; see whether this machine reaches it, or raise --request-timeout",
	ErrUnreachable:      "cannot reach the API server at {{.host}}: {{.problem}}; see whether it runs, or choose another cluster with --context or --kubeconfig",
	ErrAskWhy:           "ask as in: why pod/NAME -n NAMESPACE",
	ErrMissing:          "missing",
	ErrNoSubject:        "{{.given}} is nothing that can be explained",
}
