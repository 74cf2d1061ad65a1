package network

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/ethtool"
	"github.com/naosu-dev/naosu/internal/agent/source/link"
)

// rises tells how much counters rose from one look to the next. It belongs to a monitor and lives as long: what is made anew
// for each look has seen nothing before, and never tells (the EKS agent's, monitors/networking/monitor.go, since 750a36d).
type rises struct{ before, now map[string]uint64 }

// begin forgets the counters that the last look did not see.
func (r *rises) begin() { r.before, r.now = r.now, map[string]uint64{} }

// by is how much a counter rose since the last look. At its first it did not rise, whatever it counted before the agent
// started; nor if it is less than before, having begun anew.
func (r *rises) by(counter string, value uint64) uint64 {
	r.now[counter] = value
	if before, seen := r.before[counter]; seen && value > before {
		return value - before
	}
	return 0
}

// allowances are the counters of Amazon's network cards for packets that were queued or dropped because the instance had
// used up what it is allowed (docs.aws.amazon.com/AWSEC2/latest/UserGuide/monitoring-network-performance-ena.html).
var allowances = map[string]reason.ID{
	"bw_in_allowance_exceeded":     reason.BandwidthInExceeded,
	"bw_out_allowance_exceeded":    reason.BandwidthOutExceeded,
	"conntrack_allowance_exceeded": reason.ConntrackExceeded,
	"linklocal_allowance_exceeded": reason.LinkLocalExceeded,
	"pps_allowance_exceeded":       reason.PPSExceeded,
}

// cards are the links whose allowances are watched.
type cards struct {
	counters map[string]reason.ID
	rise     uint64
	rises    rises
	options  Options
}

func allowance(o Options) monitor.Periodic {
	c := &cards{counters: allowances, rise: o.AllowanceRise, options: o}
	return looking("allowance", minute, "ethtool", c.look,
		reason.BandwidthInExceeded, reason.BandwidthOutExceeded, reason.ConntrackExceeded, reason.LinkLocalExceeded, reason.PPSExceeded)
}

func (c *cards) look(context.Context) ([]evidence.Evidence, error) {
	links, err := link.List()
	if err != nil {
		return nil, err
	}
	c.rises.begin()
	var found []evidence.Evidence
	for _, l := range links {
		if !c.options.Links.MatchString(l.Name) {
			continue
		}
		counters, err := ethtool.Counters(l.Name, func(name string) bool { return c.counters[name] != "" })
		if errors.Is(err, ethtool.ErrNone) || errors.Is(err, unix.ENODEV) {
			continue // It has none, or is gone.
		}
		if err != nil {
			return found, err
		}
		for name, value := range counters {
			if rose := c.rises.by(l.Name+" "+name, value); rose > c.rise {
				found = append(found, fault(c.counters[name], l.Name, "ethtool", "%s of %s rose by %d to %d", name, l.Name, rose, value))
			}
		}
	}
	if len(c.rises.now) == 0 {
		for _, id := range c.counters {
			found = append(found, silent(evidence.Inapplicable, "ethtool", "no card counts what exceeds an allowance", id)...)
		}
	}
	return found, nil
}

// efaCounters are the errors that an Elastic Fabric Adapter counts, and by how much each may rise in a minute
// (docs.aws.amazon.com/AWSEC2/latest/UserGuide/efa-working-monitor.html).
var efaCounters = map[string]uint64{
	"rx_drops": 100, "rdma_write_wr_err": 100, "rdma_read_wr_err": 100, "unresponsive_remote_events": 100, "impaired_remote_conn_events": 100,
	"retrans_timeout_events": 100, "retrans_pkts": 1000, "retrans_bytes": 1_000_000,
}

// efa finds adapters whose errors rise. InfiniBand of other makers has counters of the same names that mean other things.
func efa(h host.Host) monitor.Periodic {
	seen := &rises{}
	return looking("efa", minute, efaFolder, func(context.Context) ([]evidence.Evidence, error) {
		folders, err := filepath.Glob(h.Path(efaFolder + "/*/ports/*/hw_counters"))
		if err != nil {
			return nil, fmt.Errorf("look for EFA devices: %w", err)
		}
		seen.begin()
		var found []evidence.Evidence
		for _, folder := range folders {
			port := filepath.Dir(folder)
			device := filepath.Dir(filepath.Dir(port))
			if isEFA(device) {
				entity := filepath.Base(device) + "/" + filepath.Base(port)
				found = append(found, readEFA(seen, folder, entity)...)
			}
		}
		if len(seen.now) == 0 {
			return silent(evidence.Inapplicable, efaFolder, "no Elastic Fabric Adapter is in this host", reason.EFAErrorMetric), nil
		}
		return found, nil
	}, reason.EFAErrorMetric)
}

const efaFolder = "/sys/class/infiniband"

func isEFA(device string) bool {
	vendor, _ := os.ReadFile(filepath.Join(device, "device/vendor"))
	model, _ := os.ReadFile(filepath.Join(device, "device/device"))
	return strings.TrimSpace(string(vendor)) == "0x1d0f" && strings.HasPrefix(string(model), "0xefa") // Amazon's, and EFA's
}

func readEFA(seen *rises, folder, entity string) (found []evidence.Evidence) {
	for counter, allowed := range efaCounters {
		text, err := os.ReadFile(filepath.Join(folder, counter))
		if err != nil {
			continue // Older drivers have fewer.
		}
		value, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
		if err != nil {
			continue
		}
		if rose := seen.by(entity+" "+counter, value); rose > allowed {
			found = append(found, fault(reason.EFAErrorMetric, entity, efaFolder, "%s of %s rose by %d to %d", counter, entity, rose, value))
		}
	}
	return found
}
