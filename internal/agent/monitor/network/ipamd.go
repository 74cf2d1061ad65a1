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

// localTimeout bounds a request to a daemon on the same host.
const localTimeout = 3 * time.Second

// localClient is for daemons of the host: it uses no proxy, and keeps no connection.
var localClient = &http.Client{Timeout: localTimeout, Transport: &http.Transport{DisableKeepAlives: true}}

// ipamd is the VPC CNI's daemon on a host.
type ipamd struct {
	*daemon
	// address is that of its introspection.
	address string
}

// addresses monitors whether the VPC CNI's daemon runs, answers, and has not restarted.
func addresses(h host.Host, bus *systemd.Bus, o Options) monitor.Periodic {
	d := ipamd{daemon: newIPAMD(h, bus), address: o.IPAMD}
	return periodic("ipamd", shortPeriod, "/proc", func(ctx context.Context) ([]evidence.Evidence, error) {
		seen, err := d.look(ctx)
		if err != nil {
			return nil, err
		}
		found := seen.evidenceOf(reason.IPAMDNotRunning, reason.IPAMDRepeatedlyRestart)
		if !seen.here {
			return append(found, unavailable(evidence.Inapplicable, podLogs, "the Amazon VPC CNI is not on this host", reason.IPAMDNotReady)...), nil
		}
		if err := d.answers(ctx); err != nil {
			found = append(found, fault(reason.IPAMDNotReady, "", d.address, "%v%s", err, lastError(d.host.Path(ipamdLog))))
		}
		return found, nil
	}, reason.IPAMDNotReady, reason.IPAMDNotRunning, reason.IPAMDRepeatedlyRestart)
}

// policies monitors the network policy agent.
func policies(h host.Host, bus *systemd.Bus) monitor.Periodic {
	d := newPolicyAgent(h, bus)
	return periodic("policy", shortPeriod, "/proc", func(ctx context.Context) ([]evidence.Evidence, error) {
		seen, err := d.look(ctx)
		if err != nil {
			return nil, err
		}
		return seen.evidenceOf(reason.NPANotRunning, reason.NPARepeatedlyRestart), nil
	}, reason.NPANotRunning, reason.NPARepeatedlyRestart)
}

// answers requests the daemon's introspection, which it serves once it has started: before, it waits for the API server and for EC2. Where
// introspection is off (DISABLE_INTROSPECTION), the socket of the CNI plugin is tried.
func (d ipamd) answers(ctx context.Context) error {
	_, err := d.ask(ctx, "/v1/enis")
	for _, server := range [][2]string{{"unix", d.host.Path(ipamdSocket)}, {"tcp", ipamdPort}} {
		if err == nil {
			return nil
		}
		connection, refused := (&net.Dialer{Timeout: localTimeout}).DialContext(ctx, server[0], server[1])
		if refused == nil {
			return connection.Close()
		}
	}
	return err
}

// ask returns the body that the daemon serves at a path.
func (d ipamd) ask(ctx context.Context, path string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+d.address+path, nil)
	if err != nil {
		return nil, fmt.Errorf("ask ipamd: %w", err)
	}
	response, err := localClient.Do(request)
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

// lastError is the last error in the daemon's log, which says more than a refused connection.
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
	return lastLoggedError(text)
}

// lastLoggedError is the message of the last error in a part of the daemon's log.
func lastLoggedError(text []byte) string {
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
