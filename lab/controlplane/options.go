package controlplane

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/lab/pace"
)

// Component is one program of the control plane, by the name of its real binary.
type Component string

// The components, in the order in which they start; they stop in the opposite one.
const (
	Etcd              Component = "etcd"
	APIServer         Component = "kube-apiserver"
	ControllerManager Component = "kube-controller-manager"
	Scheduler         Component = "kube-scheduler"
)

// StartOrder has them in that order.
var StartOrder = []Component{Etcd, APIServer, ControllerManager, Scheduler}

// Options say what a control plane is like. The zero value is a plane in a temporary folder with Kubernetes' defaults.
type Options struct {
	// DataDir keeps etcd's data, the certificate authority, the log and the kubeconfig over restarts. Empty means a
	// temporary folder, removed when the plane stops.
	DataDir string
	// BindAddress is an IP address to listen on beside 127.0.0.1, at the same port; the serving certificate names it.
	BindAddress string
	// Flags are passed to the components unchanged, after the plane's own, which they override. Durations are real time.
	Flags map[Component][]string
	// FeatureGates are Kubernetes' own, for all components. They belong to the process: see package inprocess.
	FeatureGates map[string]bool
	// Pace shortens what the plane times by default: see paced. Nil leaves Kubernetes' defaults alone.
	Pace *pace.Pace
	// Log receives what the components log. Nil means DataDir/controlplane.log.
	Log io.Writer
	// Fill puts objects into etcd before the API server starts: the server takes them for a cluster that it has always served.
	Fill Fill `json:"-"`
	// Bare starts etcd and the API server alone; StartComponent starts the others once the caller has made ready for them.
	Bare bool
}

// owned are flags that the plane must set itself, with the reason an Options' Flags may not.
var owned = map[Component]map[string]string{
	Etcd: {
		"data-dir": "set Options.DataDir", "wal-dir": "set Options.DataDir", "name": fixed,
		"listen-client-urls": fixed, "listen-peer-urls": fixed, "listen-client-http-urls": fixed,
		"advertise-client-urls": fixed, "initial-advertise-peer-urls": fixed, "initial-cluster": fixed,
	},
	APIServer: {
		"feature-gates": gates, "emulated-version": gates, "min-compatibility-version": gates,
		"bind-address": "set Options.BindAddress", "secure-port": fixed, "etcd-servers": fixed,
	},
	ControllerManager: {
		"feature-gates": gates, "emulated-version": gates, "min-compatibility-version": gates,
		"leader-elect": "losing an election would end the process",
	},
	Scheduler: {
		"feature-gates": gates, "emulated-version": gates, "min-compatibility-version": gates,
		"leader-elect":    "losing an election would end the process",
		"write-config-to": "it would end the process",
	},
}

const (
	fixed = "the plane decides it"
	gates = "it belongs to the whole process: set Options.FeatureGates"
)

// Fill puts values at etcd's keys: objects in the API's storage encoding, at the keys where the API server looks for
// them, such as /registry/pods/default/web-0.
type Fill func(put func(key string, value []byte) error) error

// Check finds what is wrong without starting anything.
func (o Options) Check() error {
	var errs []error
	if o.BindAddress != "" && net.ParseIP(o.BindAddress) == nil {
		errs = append(errs, fmt.Errorf("bind address %q is not an IP address", o.BindAddress))
	}
	for _, c := range slices.Sorted(maps.Keys(o.Flags)) {
		if !slices.Contains(StartOrder, c) {
			errs = append(errs, fmt.Errorf("flags for %q: no such component, there are %s", c, join(StartOrder)))
			continue
		}
		for _, flag := range o.Flags[c] {
			name, _, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
			if why, is := owned[c][name]; is {
				errs = append(errs, fmt.Errorf("%s: --%s may not be set: %s", c, name, why))
			}
		}
	}
	return errors.Join(errs...)
}

func join(components []Component) string {
	names := make([]string, len(components))
	for i, c := range components {
		names[i] = string(c)
	}
	return strings.Join(names, ", ")
}
