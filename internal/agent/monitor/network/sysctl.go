package network

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// sysctl finds values of sysctls with which pods cannot be reached. A host without a CNI needs none of them.
func sysctl(h host.Host, o Options) monitor.Periodic {
	return periodic("sysctl", longPeriod, "/proc/sys", func(context.Context) ([]evidence.Evidence, error) {
		if !hasCNI(h) {
			return unavailable(evidence.Inapplicable, "/etc/cni/net.d", "no CNI is configured on this host", reason.NetworkSysctl), nil
		}
		var found []evidence.Evidence
		for _, name := range slices.Sorted(maps.Keys(o.Sysctls)) {
			value, err := readSysctl(h, name)
			switch {
			case errors.Is(err, fs.ErrNotExist): // Its module is not loaded: nothing is limited by it.
			case err != nil:
				return nil, err
			case value != o.Sysctls[name]:
				found = append(found, fault(reason.NetworkSysctl, name, sysctlPath(name), "%s is %s, not %s", name, value, o.Sysctls[name]))
			}
		}
		return found, nil
	}, reason.NetworkSysctl)
}

// conntrack finds that the connection tracking table is nearly full, before the kernel drops packets of new connections.
func conntrack(h host.Host, o Options) monitor.Periodic {
	const count, limit = "net.netfilter.nf_conntrack_count", "net.netfilter.nf_conntrack_max"
	return periodic("conntrack", shortPeriod, sysctlPath(count), func(context.Context) ([]evidence.Evidence, error) {
		used, err := readCount(h, count)
		if errors.Is(err, fs.ErrNotExist) {
			return unavailable(evidence.Inapplicable, sysctlPath(count), "connections are not tracked here", reason.ConntrackFull), nil
		}
		if err != nil {
			return nil, err
		}
		most, err := readCount(h, limit)
		if err != nil || most == 0 || used*100 < most*int(o.Conntrack) { // A limit of 0 is none.
			return nil, err
		}
		return []evidence.Evidence{fault(reason.ConntrackFull, "", sysctlPath(count), "%d of %d connections are tracked", used, most)}, nil
	}, reason.ConntrackFull)
}

func sysctlPath(name string) string { return "/proc/sys/" + strings.ReplaceAll(name, ".", "/") }

func readSysctl(h host.Host, name string) (string, error) {
	text, err := os.ReadFile(h.Path(sysctlPath(name)))
	if err != nil {
		return "", fmt.Errorf("read the sysctl %s: %w", name, err)
	}
	return strings.TrimSpace(string(text)), nil
}

func readCount(h host.Host, name string) (int, error) {
	text, err := readSysctl(h, name)
	if err != nil {
		return 0, err
	}
	value, err := strconv.Atoi(text)
	if err != nil {
		return 0, fmt.Errorf("read the sysctl %s: %w", name, err)
	}
	return value, nil
}
