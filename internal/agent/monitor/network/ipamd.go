package network

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"regexp"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
)

// What the Amazon VPC CNI's daemon has on its host (github.com/aws/amazon-vpc-cni-k8s, pkg/ipamd and its manifests).
const (
	ipamdLog = vpcLogs + "/ipamd.log"
	// ipamdSocket is where it serves the CNI plugin since July 2026 (its PR 3739), ipamdPort where before.
	ipamdSocket = "/var/run/aws-node/ipamd.sock"
	ipamdPort   = "127.0.0.1:50051"
)

// localPatience bounds a question to a daemon on the same host.
const localPatience = 3 * time.Second

// local asks daemons of the host, through no proxy, and keeps no connection.
var local = &http.Client{Timeout: localPatience, Transport: &http.Transport{DisableKeepAlives: true}}

// ipamd is the VPC CNI's daemon on a host.
type ipamd struct {
	*daemon
	// address is where it tells of itself.
	address string
}

// addresses watches whether the VPC CNI's daemon runs, answers, and is still the one it was.
func addresses(h host.Host, bus *systemd.Bus, o Options) monitor.Periodic {
	d := ipamd{daemon: newIPAMD(h, bus), address: o.IPAMD}
	return looking("ipamd", often, "/proc", func(ctx context.Context) ([]evidence.Evidence, error) {
		seen, err := d.look(ctx)
		if err != nil {
			return nil, err
		}
		found := seen.tells(reason.IPAMDNotRunning, reason.IPAMDRepeatedlyRestart)
		if !seen.here {
			return append(found, silent(evidence.Inapplicable, podLogs, "the Amazon VPC CNI is not on this host", reason.IPAMDNotReady)...), nil
		}
		if err := d.answers(ctx); err != nil {
			found = append(found, fault(reason.IPAMDNotReady, "", d.address, "%v%s", err, lastError(d.host.Path(ipamdLog))))
		}
		return found, nil
	}, reason.IPAMDNotReady, reason.IPAMDNotRunning, reason.IPAMDRepeatedlyRestart)
}

// policies watches the network policy agent.
func policies(h host.Host, bus *systemd.Bus) monitor.Periodic {
	d := newPolicyAgent(h, bus)
	return looking("policy", often, "/proc", func(ctx context.Context) ([]evidence.Evidence, error) {
		seen, err := d.look(ctx)
		if err != nil {
			return nil, err
		}
		return seen.tells(reason.NPANotRunning, reason.NPARepeatedlyRestart), nil
	}, reason.NPANotRunning, reason.NPARepeatedlyRestart)
}

// answers asks the daemon for its view of itself, which it serves once it has started in earnest: before, it waits for the
// API server and for EC2. Where that is switched off (DISABLE_INTROSPECTION), it serves the CNI plugin all the same.
func (d ipamd) answers(ctx context.Context) error {
	_, err := d.ask(ctx, "/v1/enis")
	for _, server := range [][2]string{{"unix", d.host.Path(ipamdSocket)}, {"tcp", ipamdPort}} {
		if err == nil {
			return nil
		}
		connection, refused := (&net.Dialer{Timeout: localPatience}).DialContext(ctx, server[0], server[1])
		if refused == nil {
			return connection.Close()
		}
	}
	return err
}

// ask is the body of what the daemon tells at a path.
func (d ipamd) ask(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+d.address+path, nil)
	if err != nil {
		return nil, fmt.Errorf("ask ipamd: %w", err)
	}
	response, err := local.Do(request)
	if err != nil {
		return nil, fmt.Errorf("ask ipamd: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("ask ipamd: %s answers %s", d.address+path, response.Status)
	}
	const most = 4 << 20 // some ten thousand addresses
	body, err := io.ReadAll(io.LimitReader(response.Body, most))
	if err != nil {
		return nil, fmt.Errorf("ask ipamd: %w", err)
	}
	return body, nil
}

// lastError is the last error in the end of the daemon's log, which says why better than a refused connection.
func lastError(path string) string {
	const tail = 16 << 10
	file, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer func() { _ = file.Close() }()
	if _, err := file.Seek(-tail, io.SeekEnd); err != nil {
		_, _ = file.Seek(0, io.SeekStart) // It is shorter.
	}
	text, _ := io.ReadAll(io.LimitReader(file, tail))
	return said(text)
}

// said is the message of the last error in lines of the daemon's log.
func said(text []byte) string {
	last := ""
	for _, line := range logLine.FindAll(text, -1) {
		var entry struct{ Level, TS, Msg string }
		if json.Unmarshal(line, &entry) == nil && entry.Level == "error" {
			last = fmt.Sprintf("; its log at %s: %s", entry.TS, entry.Msg)
		}
	}
	return last
}

var logLine = regexp.MustCompile(`(?m)^\{.*\}$`)
