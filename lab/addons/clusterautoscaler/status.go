package clusterautoscaler

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Status is what the ConfigMap cluster-autoscaler-status says, in the form it has had since 1.30; see
// cluster-autoscaler/clusterstate/api/types.go.
type Status struct {
	Time             string        `json:"time,omitempty"`
	AutoscalerStatus string        `json:"autoscalerStatus,omitempty"`
	Message          string        `json:"message,omitempty"`
	ClusterWide      clusterStatus `json:"clusterWide"`
	NodeGroups       []groupStatus `json:"nodeGroups,omitempty"`
}

type clusterStatus struct {
	Health    clusterHealth  `json:"health"`
	ScaleUp   probe          `json:"scaleUp"`
	ScaleDown scaleDownProbe `json:"scaleDown"`
}

type groupStatus struct {
	Name      string         `json:"name,omitempty"`
	Health    groupHealth    `json:"health"`
	ScaleUp   scaleUpProbe   `json:"scaleUp"`
	ScaleDown scaleDownProbe `json:"scaleDown"`
}

type clusterHealth struct {
	Status     string     `json:"status,omitempty"`
	NodeCounts nodeCounts `json:"nodeCounts"`
	times      `json:",inline"`
}

type groupHealth struct {
	Status              string     `json:"status,omitempty"`
	NodeCounts          nodeCounts `json:"nodeCounts"`
	CloudProviderTarget int        `json:"cloudProviderTarget"`
	MinSize             int        `json:"minSize"`
	MaxSize             int        `json:"maxSize"`
	times               `json:",inline"`
}

type probe struct {
	Status string `json:"status,omitempty"`
	times  `json:",inline"`
}

type scaleUpProbe struct {
	Status      string      `json:"status,omitempty"`
	BackoffInfo backoffInfo `json:"backoffInfo"`
	times       `json:",inline"`
}

type scaleDownProbe struct {
	Status     string `json:"status,omitempty"`
	Candidates int    `json:"candidates,omitempty"`
	times      `json:",inline"`
}

type backoffInfo struct {
	ErrorCode    string `json:"errorCode,omitempty"`
	ErrorMessage string `json:"errorMessage,omitempty"`
}

type nodeCounts struct {
	Registered       registeredCounts `json:"registered"`
	LongUnregistered int              `json:"longUnregistered"`
	Unregistered     int              `json:"unregistered"`
}

type registeredCounts struct {
	Total      int           `json:"total"`
	Ready      int           `json:"ready"`
	NotStarted int           `json:"notStarted"`
	Suspended  int           `json:"suspended"`
	Unready    unreadyCounts `json:"unready"`
}

type unreadyCounts struct {
	Total           int `json:"total"`
	ResourceUnready int `json:"resourceUnready"`
}

// times are when a condition was last looked at, and since when it has been what it is.
type times struct {
	LastProbeTime      metav1.Time `json:"lastProbeTime"`
	LastTransitionTime metav1.Time `json:"lastTransitionTime"`
}

// since keeps the transition time of a condition that has not changed.
func since(now time.Time, same bool, before times) times {
	t := times{LastProbeTime: metav1.NewTime(now), LastTransitionTime: metav1.NewTime(now)}
	if same {
		t.LastTransitionTime = before.LastTransitionTime
	}
	return t
}

func (p *planner) status() Status {
	before := map[string]groupStatus{}
	for _, g := range p.state.status.NodeGroups {
		before[g.Name] = g
	}
	now := p.world.now
	s := Status{AutoscalerStatus: "Running"}
	progress, candidates := "NoActivity", 0
	for i := range p.world.groups {
		g := p.groupStatus(&p.world.groups[i], before[p.world.groups[i].name])
		s.NodeGroups = append(s.NodeGroups, g)
		candidates += g.ScaleDown.Candidates
		if g.ScaleUp.Status == "InProgress" {
			progress = "InProgress"
		}
	}
	was := p.state.status.ClusterWide
	total := p.world.total(p.cfg)
	s.ClusterWide.Health = clusterHealth{Status: health(total.healthy(p.cfg, len(p.world.nodes))), NodeCounts: total.counts()}
	s.ClusterWide.Health.times = since(now, s.ClusterWide.Health.Status == was.Health.Status, was.Health.times)
	s.ClusterWide.ScaleUp = probe{progress, since(now, progress == was.ScaleUp.Status, was.ScaleUp.times)}
	s.ClusterWide.ScaleDown = scaleDown(candidates, now, was.ScaleDown)
	return s
}

func (p *planner) groupStatus(g *group, was groupStatus) groupStatus {
	now, r := p.world.now, p.ready[g.name]
	asked, inProgress := p.state.requests[g.name]
	inProgress = inProgress && p.upcoming(g) > 0
	healthy := r.groupHealthy(p.cfg, g.target-asked.increase)
	candidates := 0
	for name := range p.state.unneeded {
		if _, ok := g.instances[name]; ok {
			candidates++
		}
	}
	s := groupStatus{Name: g.name, ScaleDown: scaleDown(candidates, now, was.ScaleDown)}
	s.Health = groupHealth{Status: health(healthy), NodeCounts: r.counts(), CloudProviderTarget: g.target, MinSize: g.min, MaxSize: g.max}
	s.Health.times = since(now, s.Health.Status == was.Health.Status, was.Health.times)
	switch {
	case inProgress:
		s.ScaleUp.Status = "InProgress"
	case !healthy:
		s.ScaleUp.Status = "Unhealthy"
	case p.state.backedOff(g.name, now):
		s.ScaleUp.Status = "Backoff"
		s.ScaleUp.BackoffInfo = backoffInfo{p.state.backoffs[g.name].code, p.state.backoffs[g.name].reason}
	default:
		s.ScaleUp.Status = "NoActivity"
	}
	s.ScaleUp.times = since(now, s.ScaleUp.Status == was.ScaleUp.Status, was.ScaleUp.times)
	return s
}

func scaleDown(candidates int, now time.Time, was scaleDownProbe) scaleDownProbe {
	s := scaleDownProbe{Status: "NoCandidates", Candidates: candidates}
	if candidates > 0 {
		s.Status = "CandidatesPresent"
	}
	s.times = since(now, s.Status == was.Status, was.times)
	return s
}

func health(healthy bool) string {
	if healthy {
		return "Healthy"
	}
	return "Unhealthy"
}

func (r readiness) counts() nodeCounts {
	return nodeCounts{
		Registered: registeredCounts{
			Total: r.registered(), Ready: len(r.ready), NotStarted: len(r.notStarted), Unready: unreadyCounts{Total: len(r.unready)},
		},
		LongUnregistered: len(r.longUnregistered),
		Unregistered:     len(r.unregistered),
	}
}
