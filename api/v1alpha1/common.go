package v1alpha1

import "k8s.io/apimachinery/pkg/util/intstr"

// DoNotDisruptAnnotation with the value "true" keeps naosu's hands off a node, or off the node that a pod runs on.
const DoNotDisruptAnnotation = "naosu.dev/do-not-disrupt"

// Mode is how far a policy may go by itself.
// +kubebuilder:validation:Enum=Report;Approve;Auto
type Mode string

// The modes of a policy.
const (
	// ModeReport records what would be done, and does nothing.
	ModeReport Mode = "Report"
	// ModeApprove does what a person approves.
	ModeApprove Mode = "Approve"
	// ModeAuto acts unasked, once it has earned it.
	ModeAuto Mode = "Auto"
)

// Action is what is done to mend a node, from the mildest to the harshest.
// +kubebuilder:validation:Enum=None;RestartService;Reboot;Replace
type Action string

// What can be done to a node.
const (
	// ActionNone leaves the node alone.
	ActionNone Action = "None"
	// ActionRestartService restarts one systemd unit on the node; pods keep running.
	ActionRestartService Action = "RestartService"
	// ActionReboot restarts the machine.
	ActionReboot Action = "Reboot"
	// ActionReplace gives the machine up for a new one.
	ActionReplace Action = "Replace"
)

// Budgets are how many nodes may be out at once for any of naosu's concerns, each a number or a percentage that is
// rounded down, and how many within a day. The smallest that applies counts.
type Budgets struct {
	// zone limits the disrupted nodes of each zone (label topology.kubernetes.io/zone) at any one time. A number from 0 to
	// 5000, or a percentage from 0% to 100% that is rounded down, for example 10%; 0 forbids any disruption. Defaults to 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 0 && self <= 5000 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be 0 to 5000 or 0% to 100%"
	Zone *intstr.IntOrString `json:"zone,omitempty"`

	// group limits the disrupted nodes of each node group at any one time. A number from 0 to 5000, or a percentage from 0% to
	// 100% that is rounded down, for example 10%; 0 forbids any disruption. Defaults to 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 0 && self <= 5000 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be 0 to 5000 or 0% to 100%"
	Group *intstr.IntOrString `json:"group,omitempty"`

	// cluster limits the disrupted nodes of the whole cluster at any one time. A number from 0 to 5000, or a percentage from 0%
	// to 100% that is rounded down, for example 10%; 0 forbids any disruption. Defaults to 1.
	// +optional
	// +kubebuilder:default=1
	// +kubebuilder:validation:XIntOrString
	// +kubebuilder:validation:XValidation:rule="type(self) == int ? self >= 0 && self <= 5000 : self.matches('^(100|[1-9]?[0-9])%$')",message="must be 0 to 5000 or 0% to 100%"
	Cluster *intstr.IntOrString `json:"cluster,omitempty"`

	// maxPerDay limits how many machines of each node group are rebooted or replaced within 24 hours, by whatever policy; more
	// wait. From 1 to 5000. Not set, it is 3 or 20 percent of the group's nodes, whichever is more.
	// +optional
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=5000
	MaxPerDay *int32 `json:"maxPerDay,omitempty"`
}

// Weekday is a day of the week.
// +kubebuilder:validation:Enum=Monday;Tuesday;Wednesday;Thursday;Friday;Saturday;Sunday
type Weekday string

// MaintenanceWindow is when disruptive work may begin. What has begun is finished after the window closes.
type MaintenanceWindow struct {
	// days are the days of the week on which the window opens: Monday, Tuesday, Wednesday, Thursday, Friday, Saturday or
	// Sunday. Not set, it opens every day.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MinItems=1
	// +kubebuilder:validation:MaxItems=7
	Days []Weekday `json:"days,omitempty"`

	// start is the time of day at which the window opens, in timeZone, as hours and minutes, for example 22:30.
	// +required
	// +kubebuilder:validation:MinLength=5
	// +kubebuilder:validation:MaxLength=5
	// +kubebuilder:validation:Pattern=`^([01][0-9]|2[0-3]):[0-5][0-9]$`
	Start string `json:"start"`

	// openForMinutes is how long the window stays open, in minutes, from 1 to 1440; it may reach past midnight. For example 240
	// for four hours.
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
