package message

var englishPod = sentences{
	PodRunning:    "{{.pod}} is running on {{.node}}.",
	PodNotReady:   "{{.pod}} is running on {{.node}} but is not ready: {{.why}}",
	PodFinished:   "{{.pod}} has completed.",
	PodFailed:     "{{.pod}} has failed: {{.why}}",
	PodDeleting:   "{{.pod}} is being deleted.",
	PodGated:      "{{.pod}} is not ready for scheduling: the {{verb (len .gates) \"scheduling gate\" \"scheduling gates\"}} {{and .gates}} {{verb (len .gates) \"holds\" \"hold\"}} it back.",
	PodUnseen:     "{{.pod}} is Pending, and no scheduler has processed it yet (its schedulerName is {{.scheduler}}).",
	PodPending:    "{{.pod}} is Pending; the scheduler reports: {{.why}}",
	PodNominated:  "{{.pod}} is Pending: it waits for pods of lower priority on {{.node}} to terminate.",
	PodNotStarted: "{{.pod}} is assigned to {{.node}}, but its containers are not running: {{.why}}",
	PodPlaced:     "{{.pod}} is assigned to {{.node}}; its containers have not been reported yet.",
	PodUnknown:    "{{.pod}} is {{.state}}.",
}
