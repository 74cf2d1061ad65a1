package v1alpha1

import "k8s.io/apimachinery/pkg/util/intstr"

// DoNotDisruptAnnotation with the value "true" on a node, or on a pod on it, keeps naosu from disrupting the node.
const DoNotDisruptAnnotation = "naosu.dev/do-not-disrupt"

// Mode determines whether naosu acts, and whether it needs approval.
// +kubebuilder:validation:Enum=Report;Approve;Auto
type Mode string

// The modes of a policy.
const (
	// ModeReport only records what would be done.
	ModeReport Mode = "Report"
	// ModeApprove performs what a person has approved.
	ModeApprove Mode = "Approve"
	// ModeAuto acts without approval, once earnAuto is reached.
	ModeAuto Mode = "Auto"
)

// Action is an action of a plan. Those that repair a node are ordered from the mildest to the harshest.
type Action string

// The actions of a plan.
const (
	// ActionNone takes no action.
	ActionNone Action = "None"
	// ActionRestartService restarts one systemd unit on the node; pods keep running.
	ActionRestartService Action = "RestartService"
	// ActionReboot reboots the machine.
	ActionReboot Action = "Reboot"
	// ActionReplace replaces the machine with a new one.
	ActionReplace Action = "Replace"
	// ActionEvict evicts one pod.
	ActionEvict Action = "Evict"
	// ActionDeleteInterface deletes one network interface that the VPC CNI left behind.
	ActionDeleteInterface Action = "DeleteInterface"
	// ActionResizeNodeGroup raises the desired and the minimum size of a node group.
	ActionResizeNodeGroup Action = "ResizeNodeGroup"
)

// Budgets limit how many nodes all of naosu's work disrupts at the same time, as a number or a percentage that is rounded down, and
// how many machines are rebooted or replaced within a day. The smallest limit applies.
type Budgets struct {
	// zone is the maximum number of nodes that are disrupted at the same time in each zone (label topology.kubernetes.io/zone). A
	// number from 0 to 5000, or a percentage from 0% to 100%, which is rounded down, for example 10%. 0 forbids any disruption.
	// Defaults to 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 0 && self <= 5000 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be 0 to 5000 or 0% to 100%"
	Zone *intstr.IntOrString `json:"zone,omitempty"`

	// group is the maximum number of nodes that are disrupted at the same time in each node group. A number from 0 to 5000, or a
	// percentage from 0% to 100%, which is rounded down, for example 10%. 0 forbids any disruption. Defaults to 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 0 && self <= 5000 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be 0 to 5000 or 0% to 100%"
	Group *intstr.IntOrString `json:"group,omitempty"`

	// cluster is the maximum number of nodes that are disrupted at the same time in the cluster. A number from 0 to 5000, or a
	// percentage from 0% to 100%, which is rounded down, for example 10%. 0 forbids any disruption. Defaults to 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 0 && self <= 5000 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be 0 to 5000 or 0% to 100%"
	Cluster *intstr.IntOrString `json:"cluster,omitempty"`

	// maxPerDay is the maximum number of machines that all policies together reboot or replace in each node group within 24 hours.
	// From 1 to 5000, for example 10. Defaults to 3 or 20 percent of the group's nodes, whichever is more.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5000
	MaxPerDay *int32 `json:"maxPerDay,omitempty"`
}

// Weekday is a day of the week.
// +kubebuilder:validation:Enum=Monday;Tuesday;Wednesday;Thursday;Friday;Saturday;Sunday
type Weekday string

// MaintenanceWindow is when reboots and replacements may start. Those in progress are finished after the window closes.
type MaintenanceWindow struct {
	// days are the days of the week on which the window opens: Monday, Tuesday, Wednesday, Thursday, Friday, Saturday or
	// Sunday. If not set, it opens every day.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=7
	Days []Weekday `json:"days,omitempty"`

	// start is the time of day at which the window opens, as hours and minutes in timeZone, for example 22:30.
	// +required
	// +kubebuilder:validation:MinLength=5
	// +kubebuilder:validation:MaxLength=5
	// +kubebuilder:validation:Pattern=`^([01][0-9]|2[0-3]):[0-5][0-9]$`
	Start string `json:"start"`

	// openForMinutes is how long the window stays open, in minutes, for example 240 for four hours. From 1 to 1440. The window may
	// extend past midnight.
	// +required
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=1440
	OpenForMinutes int32 `json:"openForMinutes"`

	// timeZone is the time zone of start and days, by its name in the IANA database, for example Europe/Berlin. Defaults to
	// UTC.
	// +optional
	// +kubebuilder:default=UTC
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[A-Za-z]+([/_+-][A-Za-z0-9]+)*$`
	// +kubebuilder:validation:XValidation:rule="self != 'Local' && timestamp('2026-01-01T00:00:00Z').getHours(self) >= 0",message="must be a name of the IANA time zone database"
	TimeZone string `json:"timeZone,omitempty"`
}
