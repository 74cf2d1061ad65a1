package network

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// cloud is a provider whose machines have a metadata service.
type cloud struct {
	name string
	// field of the machine's DMI holds text on that provider's machines.
	field, text string
	// method, address and header are a request with a small answer.
	method, address string
	header          http.Header
}

// clouds are recognised as cloud-init does (https://docs.cloud-init.io/en/latest/reference/datasources.html).
var clouds = []cloud{
	{ // A session token for a minute, which is not kept: a request without a token counts as a use of IMDSv1.
		"EC2", "sys_vendor", "Amazon EC2",
		http.MethodPut, "http://169.254.169.254/latest/api/token",
		http.Header{"X-Aws-Ec2-Metadata-Token-Ttl-Seconds": {"60"}},
	},
	{"EC2", "bios_version", "amazon", http.MethodPut, "http://169.254.169.254/latest/api/token", http.Header{"X-Aws-Ec2-Metadata-Token-Ttl-Seconds": {"60"}}}, // Xen
	{"Compute Engine", "product_name", "Google Compute Engine", http.MethodGet, "http://169.254.169.254/computeMetadata/v1/instance/id", http.Header{"Metadata-Flavor": {"Google"}}},
	{"Azure", "chassis_asset_tag", "7783-7084-3265-9085-8269-3286-77", http.MethodGet, "http://169.254.169.254/metadata/versions", http.Header{"Metadata": {"true"}}},
}

// cloudOf is the provider of a machine; false if it is none of clouds, which has no metadata service.
func cloudOf(h host.Host) (cloud, bool) {
	for _, c := range clouds {
		text, err := os.ReadFile(h.Path("/sys/class/dmi/id/" + c.field))
		if err == nil && strings.Contains(string(text), c.text) {
			return c, true
		}
	}
	return cloud{}, false
}

// metadataClient is for the metadata service: it uses no proxy, and follows no redirect.
var metadataClient = &http.Client{
	Timeout: remoteTimeout, Transport: &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// metadataService monitors the provider's metadata service. One that has never answered since the boot may be disabled or blocked by design;
// one that has answered, and no longer does, is at fault.
type metadataService struct {
	host host.Host
	// folder is where it is kept over a restart of the agent that the service has answered; empty keeps nothing.
	folder string

	answered bool
}

func instanceMetadata(h host.Host, folder string) monitor.Periodic {
	m := &metadataService{host: h, folder: folder}
	return periodic("metadata", longPeriod, "the instance metadata service", m.find, reason.InstanceMetadataUnreachable)
}

func (m *metadataService) find(ctx context.Context) ([]evidence.Evidence, error) {
	c, known := cloudOf(m.host)
	if !known {
		return unavailable(evidence.Inapplicable, "/sys/class/dmi/id", "it is no machine of EC2, Compute Engine or Azure", reason.InstanceMetadataUnreachable), nil
	}
	err := c.ask(ctx)
	switch {
	case err == nil:
		m.note()
		return nil, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case !m.before():
		why := fmt.Sprintf("%s; it was not seen to answer since the boot, and may be switched off: %v", c.name, err)
		return unavailable(evidence.Unreadable, "", why, reason.InstanceMetadataUnreachable), nil
	}
	return []evidence.Evidence{fault(reason.InstanceMetadataUnreachable, "", "", "%s: %v", c.name, err)}, nil
}

// ask makes a request. Any answer of the service itself will do, including that it is disabled (403) or throttles (429).
func (c cloud) ask(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, c.method, c.address, nil)
	if err != nil {
		return err
	}
	request.Header = c.header.Clone()
	response, err := metadataClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= http.StatusInternalServerError {
		return fmt.Errorf("%s answers %d", c.address, response.StatusCode)
	}
	if _, err := io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)); err != nil {
		return fmt.Errorf("%s begins to answer: %w", c.address, err)
	}
	return nil
}

func (m *metadataService) file() string { return filepath.Join(m.folder, "metadata-answered") }

// note records that the service has answered, once for each boot.
func (m *metadataService) note() {
	if m.before() {
		return
	}
	m.answered = true
	if boot, err := m.host.Boot(); err == nil && m.folder != "" {
		_ = os.MkdirAll(m.folder, 0o700)
		_ = os.WriteFile(m.file(), []byte(boot.ID), 0o600) // If it fails, a restart of the agent forgets.
	}
}

// before says whether the service has answered since the boot.
func (m *metadataService) before() bool {
	if m.answered || m.folder == "" {
		return m.answered
	}
	kept, err := os.ReadFile(m.file())
	if err != nil {
		return false
	}
	boot, err := m.host.Boot()
	m.answered = err == nil && string(kept) == boot.ID
	return m.answered
}
