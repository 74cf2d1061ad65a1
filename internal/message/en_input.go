package message

var englishInput = sentences{
	ErrSchedulerConfig:       "{{.problem}}",
	ErrSchedulerConfigRemedy: "name a file with a KubeSchedulerConfiguration of kubescheduler.config.k8s.io/v1, or leave the flag out for the default profile",
}
