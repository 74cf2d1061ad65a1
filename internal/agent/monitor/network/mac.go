package network

import (
	"bufio"
	"context"
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/link"
)

// vpcLink begins the names of the VPC CNI's ends of pods' links (AWS_VPC_K8S_CNI_VETHPREFIX).
const vpcLink = "eni"

// macPolicy finds that udev sets other MAC addresses on the VPC CNI's links than the CNI has configured as the pod's neighbor
// (amazon-vpc-cni-k8s docs/troubleshooting.md, its issue 2103). Other CNIs are not affected.
func macPolicy(h host.Host) monitor.Periodic {
	return periodic("mac-policy", longPeriod, udevRecords, func(context.Context) ([]evidence.Evidence, error) {
		inPod, err := newIPAMD(h, nil).inPod()
		if err != nil {
			return nil, err
		}
		file, err := linkFile(h)
		switch {
		case err != nil:
			return nil, err
		case !inPod || file == "":
			return unavailable(evidence.Inapplicable, udevRecords, "udev names no links of the Amazon VPC CNI here", reason.MACAddressPolicyMisconfigured), nil
		}
		policy, from, err := policyOf(h, file)
		if err != nil || policy == "" || policy == "none" {
			return nil, err
		}
		return []evidence.Evidence{fault(reason.MACAddressPolicyMisconfigured, file, from, "MACAddressPolicy=%s", policy)}, nil
	}, reason.MACAddressPolicyMisconfigured)
}

// udevRecords is the folder of udev's database, in which a link's file is named by its interface index.
const udevRecords = "/run/udev/data"

// linkFile is the .link file that udev has applied to the VPC CNI's links; empty if there is none.
func linkFile(h host.Host) (string, error) {
	links, err := link.List()
	if err != nil {
		return "", err
	}
	for _, l := range links {
		if !strings.HasPrefix(l.Name, vpcLink) {
			continue
		}
		text, err := os.ReadFile(h.Path(path.Join(udevRecords, "n"+strconv.Itoa(l.Index))))
		if err != nil {
			continue // The link is new or was removed; or there is no udev.
		}
		for line := range strings.Lines(string(text)) {
			if file, ok := strings.CutPrefix(strings.TrimSpace(line), "E:ID_NET_LINK_FILE="); ok {
				return file, nil
			}
		}
	}
	return "", nil
}

// policyOf is the MAC address policy of a file with its drop-ins, the last one that is set, and the file that sets it (systemd.link(5)). An
// empty value unsets earlier ones.
func policyOf(h host.Host, file string) (policy, from string, err error) {
	for _, f := range append([]string{file}, dropIns(h, path.Base(file))...) {
		reader, err := os.Open(h.Path(f))
		if err != nil {
			return "", "", fmt.Errorf("read how udev sets up links: %w", err)
		}
		lines, section := bufio.NewScanner(reader), ""
		for lines.Scan() {
			line := strings.TrimSpace(lines.Text())
			if strings.HasPrefix(line, "[") {
				section = line
			}
			name, value, _ := strings.Cut(line, "=")
			if section == "[Link]" && strings.TrimSpace(name) == "MACAddressPolicy" {
				policy, from = strings.TrimSpace(value), f
			}
		}
		if err := reader.Close(); err != nil {
			return "", "", err
		}
		if err := lines.Err(); err != nil {
			return "", "", fmt.Errorf("read %s: %w", f, err)
		}
	}
	return policy, from, nil
}

// networkFolders are those of systemd's network files; of files of one name the first one's counts.
var networkFolders = []string{"/etc/systemd/network", "/run/systemd/network", "/usr/local/lib/systemd/network", "/usr/lib/systemd/network", "/lib/systemd/network"}

// dropIns are the files that add to one, in the order of their names.
func dropIns(h host.Host, name string) []string {
	byName := map[string]string{}
	for _, folder := range networkFolders {
		folder = path.Join(folder, name+".d")
		files, _ := os.ReadDir(h.Path(folder))
		for _, f := range files {
			if _, hidden := byName[f.Name()]; strings.HasSuffix(f.Name(), ".conf") && !hidden {
				byName[f.Name()] = path.Join(folder, f.Name())
			}
		}
	}
	var all []string
	for _, n := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, byName[n])
	}
	return all
}
