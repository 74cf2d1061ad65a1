package message

var englishInput = sentences{
	ErrSchedulerConfigRemedy: "give a file with a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1, or omit the flag to use the default profile",
	ErrNodePricesRemedy:      "give a YAML file with the price of a node per hour by instance type, for example m5.large: 0.096",

	ErrFromParse:         "{{.problem}}",
	ErrFromMissing:       "{{.from}} does not exist",
	ErrFromForbidden:     "you do not have permission to read {{.from}}",
	ErrFromBinary:        "{{.from}} is neither a snapshot nor text",
	ErrFromVersion:       "{{.from}} is a snapshot in a format that this version of naosu cannot read",
	ErrFromTruncated:     "the snapshot {{.from}} is truncated",
	ErrFromDamaged:       "the snapshot {{.from}} is damaged",
	ErrFromTooLarge:      "{{.from}} is too large to hold in memory",
	ErrFromNothing:       "{{.from}} contains no object of a kind that naosu reads",
	ErrFromRemedy:        "give a file written by `naosu snapshot -o FILE`, or a file or folder with output of `kubectl get -o yaml`",
	ErrFromVersionRemedy: "read it with the version of naosu that wrote it, or a newer one",
	ErrFromAgain:         "copy it again, or take a new one with `naosu snapshot -o FILE`",

	ErrOutMissing:       "missing",
	ErrOutMissingRemedy: "give the file to write, or - for standard output",
	ErrOutExists:        "{{.path}} already exists",
	ErrOutExistsRemedy:  "give another file, or overwrite it with --force",
	ErrOutTerminal:      "a snapshot cannot be shown on a terminal",
	ErrOutFormat:        "{{.given}} is the name of an output format, but a snapshot has only its own format",
	ErrOutFormatRemedy:  "give the file to write, as in prod.naosu",
	ErrOutWrite:         "cannot write {{.path}}: {{.problem}}",
	SnapshotWritten:     "{{.path}}: {{count .nodes \"node\" \"nodes\"}}, {{count .pods \"pod\" \"pods\"}}",
	SnapshotKey:         "{{.path}}: with this key beside the file, whatif apply can tell which values of environment variables change. Anyone who has both can guess a value and verify the guess: do not share the key.",
	SnapshotAnonymous:   "names, labels, images and addresses in it are replaced; cloud zones, machine types, quantities and times are unchanged",
	SnapshotUnread:      "not included, because you do not have permission to read them, the cluster does not serve them, or the source does not contain them: {{and .kinds}}",
}
