package network

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
)

// podLogs has a folder for each pod of a node, with one for each container in it, which the kubelet makes and removes
// (pkg/kubelet/kuberuntime/helpers.go).
const podLogs = "/var/log/pods"

// vpcLogs is where the daemons keep their own logs, in either way.
const vpcLogs = "/var/log/aws-routed-eni"

// vpcPod is the folder of a pod of the DaemonSet aws-node; aws-node-termination-handler is another's. In another namespace anyone
// may give a pod that name.
var vpcPod = regexp.MustCompile(`^kube-system_aws-node-[0-9a-z]{5}_[^_]+$`)

// daemon is one of the Amazon VPC CNI's daemons: a process in a pod of aws-node, or on EKS Auto Mode a systemd service. Files that the CNI has
// left are no sign of it, because another CNI may have replaced it (eks-node-monitoring-agent#28).
type daemon struct {
	host host.Host
	bus  *systemd.Bus
	// container is the folder of its container, unit the service, name and argument its process in a container.
	container, unit, name, argument string

	// seen is the process that was found last; restarts is systemd's count of restarts of the service at the last look, if counted.
	seen     process
	restarts uint32
	counted  bool
}

func newIPAMD(h host.Host, bus *systemd.Bus) *daemon {
	return &daemon{host: h, bus: bus, container: "aws-node", unit: "ipamd.service", name: "aws-k8s-agent"}
}

// newPolicyAgent is the network policy agent, whose binary has a common name (aws-network-policy-agent's Dockerfile) and
// arguments of its own.
func newPolicyAgent(h host.Host, bus *systemd.Bus) *daemon {
	return &daemon{
		host: h, bus: bus, container: "aws-eks-nodeagent", unit: "aws-network-policy-agent.service",
		name: "controller", argument: "--enable-network-policy",
	}
}

// observation is what one look at a daemon found.
type observation struct {
	// here says whether this host should have the daemon, running whether it runs.
	here, running bool
	// restarted is how often it was restarted since the last look.
	restarted   uint32
	source, raw string
}

func (d *daemon) look(ctx context.Context) (observation, error) {
	inPod, err := d.inPod()
	if err != nil {
		return observation{}, err
	}
	if inPod {
		return d.lookForProcess()
	}
	if _, err := os.Stat(d.host.Path(vpcLogs)); errors.Is(err, fs.ErrNotExist) {
		return observation{}, nil // This host never had it. Then it does not matter if systemd cannot be asked.
	}
	return d.lookForService(ctx)
}

// inPod says whether the daemon's container is in a pod on this host.
func (d *daemon) inPod() (bool, error) {
	pods, err := os.ReadDir(d.host.Path(podLogs))
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("look for pods of the VPC CNI: %w", err)
	}
	for _, pod := range pods {
		if !vpcPod.MatchString(pod.Name()) {
			continue
		}
		if _, err := os.Stat(d.host.Path(filepath.Join(podLogs, pod.Name(), d.container))); err == nil {
			return true, nil
		}
	}
	return false, nil
}

func (d *daemon) lookForProcess() (observation, error) {
	now, err := findProcess(d.host, d.name, d.argument, d.seen)
	if err != nil {
		return observation{}, err
	}
	s := observation{here: true, running: now != process{}, source: "/proc", raw: "no process is named " + d.name}
	if !s.running {
		return s, nil
	}
	s.raw = fmt.Sprintf("%s is process %s", d.name, now.pid)
	if d.seen != now && d.seen != (process{}) {
		s.restarted, s.raw = 1, fmt.Sprintf("%s, and was %s before", s.raw, d.seen.pid)
	}
	d.seen = now
	return s, nil
}

func (d *daemon) lookForService(ctx context.Context) (observation, error) {
	service, err := d.bus.Service(ctx, d.unit)
	if errors.Is(err, systemd.ErrAbsent) || err == nil && service.Load != "loaded" {
		return observation{}, nil
	}
	if err != nil {
		return observation{}, err
	}
	restarts, err := d.bus.Restarts(ctx, service)
	if err != nil {
		return observation{}, fmt.Errorf("ask how often %s was restarted: %w", d.unit, err)
	}
	s := observation{here: true, running: service.Active == "active", source: "systemd"}
	s.raw = fmt.Sprintf("%s is %s (%s), restarted %d times", d.unit, service.Active, service.Sub, restarts)
	if d.counted && restarts > d.restarts { // systemctl restart sets the count to 0.
		s.restarted = restarts - d.restarts
	}
	d.restarts, d.counted = restarts, true
	return s, nil
}

// evidenceOf is what a observation tells of the reasons that a daemon does not run, and restarts again and again.
func (s observation) evidenceOf(notRunning, restarts reason.ID) []evidence.Evidence {
	if !s.here {
		return unavailable(evidence.Inapplicable, podLogs, "the Amazon VPC CNI is not on this host", notRunning, restarts)
	}
	var found []evidence.Evidence
	if !s.running {
		found = append(found, fault(notRunning, "", s.source, "%s", s.raw))
	}
	const enough = 10 // as many as any configured count
	for range min(s.restarted, enough) {
		found = append(found, fault(restarts, "", s.source, "%s", s.raw))
	}
	return found
}
