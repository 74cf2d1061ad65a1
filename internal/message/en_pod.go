package message

var englishPod = sentences{
	PodRunning:    "{{.pod}} is running on {{.node}}.",
	PodNotReady:   "{{.pod}} is running on {{.node}} but is not ready: {{.why}}",
	PodFinished:   "{{.pod}} has completed.",
	PodFailed:     "{{.pod}} has failed: {{.why}}",
	PodDeleting:   "{{.pod}} is being deleted.",
	PodGated:      "{{.pod}} is not offered to the scheduler: {{and .gates}} {{verb (len .gates) \"holds\" \"hold\"}} it back.",
	PodUnseen:     "{{.pod}} is Pending and no scheduler has looked at it yet; it asks for {{.scheduler}}.",
	PodPending:    "{{.pod}} is Pending; the scheduler says: {{.why}}",
	PodNominated:  "{{.pod}} is Pending; it waits on {{.node}} for pods of lower priority to end.",
	PodNotStarted: "{{.pod}} is assigned to {{.node}}, but its containers are not running: {{.why}}",
	PodPlaced:     "{{.pod}} is assigned to {{.node}}; its containers have not been reported yet.",
	PodUnknown:    "{{.pod}} is {{.state}}.",
}
