package message

var japaneseInput = sentences{
	ErrSchedulerConfig:       "{{.problem}}",
	ErrSchedulerConfigRemedy: "kubescheduler.config.k8s.io/v1 の KubeSchedulerConfiguration を含むファイルを指定してください。フラグを省略するとデフォルトのプロファイルを使います",
}
