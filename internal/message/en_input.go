package message

var englishInput = sentences{
	ErrSchedulerConfigRemedy: "name a file with a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1, or leave the flag out for the default profile",

	ErrFromParse:         "{{.problem}}",
	ErrFromMissing:       "{{.from}} does not exist",
	ErrFromForbidden:     "you may not read {{.from}}",
	ErrFromBinary:        "{{.from}} is neither a snapshot nor text",
	ErrFromVersion:       "{{.from}} is a snapshot in a format that this version of naosu does not read",
	ErrFromTruncated:     "the snapshot {{.from}} ends too early",
	ErrFromDamaged:       "the snapshot {{.from}} is damaged",
	ErrFromTooLarge:      "{{.from}} holds more than naosu is ready to hold in memory",
	ErrFromNothing:       "{{.from}} holds no object of a kind that naosu reads",
	ErrFromRemedy:        "name what `naosu snapshot -o FILE` has written, or a file or folder of what `kubectl get -o yaml` has",
	ErrFromVersionRemedy: "read it with the version of naosu that wrote it, or a newer one",
	ErrFromAgain:         "copy it once more, or take it anew with `naosu snapshot -o FILE`",

	ErrOutMissing:       "missing",
	ErrOutMissingRemedy: "name the file to write, or - for standard output",
	ErrOutExists:        "{{.path}} is there already",
	ErrOutExistsRemedy:  "name another file, or replace it with --force",
	ErrOutTerminal:      "a snapshot is nothing to read on a terminal",
	ErrOutFormat:        "{{.given}} is the name of a format, and a snapshot is always of its own",
	ErrOutFormatRemedy:  "name the file to write, as in prod.naosu",
	ErrOutWrite:         "cannot write {{.path}}: {{.problem}}",
	SnapshotWritten:     "{{.path}}: {{count .nodes \"node\" \"nodes\"}}, {{count .pods \"pod\" \"pods\"}}",
	SnapshotKey:         "{{.path}}: with this key beside the file, whatif apply tells which values of environment variables change. Who has both can try what a value is: do not share it.",
	SnapshotAnonymous:   "names, labels, images and addresses in it are replaced; cloud zones, machine types, quantities and times are as they were",
	SnapshotUnread:      "not in it, because you may not read them, they are not served, or were not in what was read: {{and .kinds}}",
}
