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

// increases computes by how much counters rose from one look to the next. It must live as long as its monitor: one that is created for each look
// has no earlier value, and never shows a rise (as in the EKS agent's monitors/networking/monitor.go since 750a36d).
type increases struct{ before, now map[string]uint64 }

// begin begins a look. Counters that the last look did not read are dropped.
func (r *increases) begin() { r.before, r.now = r.now, map[string]uint64{} }

// by returns by how much a counter rose since the last look. It is 0 at the first look, and if the value is less than before, because the
// counter was reset.
func (r *increases) by(counter string, value uint64) uint64 {
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

// cards monitors the allowances of network cards.
type cards struct {
	counters  map[string]reason.ID
	rise      uint64
	increases increases
	options   Options
}

func allowance(o Options) monitor.Periodic {
	c := &cards{counters: allowances, rise: o.AllowanceRise, options: o}
	return periodic("allowance", longPeriod, "ethtool", c.look,
		reason.BandwidthInExceeded, reason.BandwidthOutExceeded, reason.ConntrackExceeded, reason.LinkLocalExceeded, reason.PPSExceeded)
}

func (c *cards) look(context.Context) ([]evidence.Evidence, error) {
	links, err := link.List()
	if err != nil {
		return nil, err
	}
	c.increases.begin()
	var found []evidence.Evidence
	for _, l := range links {
		if !c.options.Links.MatchString(l.Name) {
			continue
		}
		counters, err := ethtool.Counters(l.Name, func(name string) bool { return c.counters[name] != "" })
		if errors.Is(err, ethtool.ErrNone) || errors.Is(err, unix.ENODEV) {
			continue // It has no counters, or was removed.
		}
		if err != nil {
			return found, err
		}
		for name, value := range counters {
			if rose := c.increases.by(l.Name+" "+name, value); rose > c.rise {
				found = append(found, fault(c.counters[name], l.Name, "ethtool", "%s of %s rose by %d to %d", name, l.Name, rose, value))
			}
		}
	}
	if len(c.increases.now) == 0 {
		for _, id := range c.counters {
			found = append(found, unavailable(evidence.Inapplicable, "ethtool", "no card counts what exceeds an allowance", id)...)
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

// efa finds Elastic Fabric Adapters whose error counters rise. InfiniBand adapters of other vendors have counters of the same names with other
// meanings.
func efa(h host.Host) monitor.Periodic {
	seen := &increases{}
	return periodic("efa", longPeriod, efaFolder, func(context.Context) ([]evidence.Evidence, error) {
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
			return unavailable(evidence.Inapplicable, efaFolder, "no Elastic Fabric Adapter is in this host", reason.EFAErrorMetric), nil
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

func readEFA(seen *increases, folder, entity string) (found []evidence.Evidence) {
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
