package network

import (
	"context"
	"crypto/tls"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

const resolvConf = "/etc/resolv.conf"

// dns queries each name server of the host: if the first does not answer, each lookup waits for it.
func dns(h host.Host, o Options) monitor.Periodic {
	return periodic("dns", shortPeriod, resolvConf, func(ctx context.Context) ([]evidence.Evidence, error) {
		text, err := os.ReadFile(h.Path(resolvConf))
		if err != nil {
			return nil, fmt.Errorf("look for name servers: %w", err)
		}
		servers := nameservers(string(text))
		if len(servers) == 0 {
			return unavailable(evidence.Inapplicable, resolvConf, "the host asks no name server", reason.DNSUnreachable), nil
		}
		failed := make([]error, len(servers))
		var asked sync.WaitGroup // all at the same time: three that do not answer must not delay the next look
		for i, server := range servers {
			asked.Go(func() { _, failed[i] = resolve(ctx, server, o.ResolveName) })
		}
		asked.Wait()
		var found []evidence.Evidence
		for i, err := range failed {
			if err != nil {
				found = append(found, fault(reason.DNSUnreachable, servers[i], resolvConf, "ask %s for %s: %v", servers[i], o.ResolveName, err))
			}
		}
		return found, nil
	}, reason.DNSUnreachable)
}

// nameservers are those that the resolver library asks (resolv.conf(5)): three at most.
func nameservers(text string) (servers []string) {
	const most = 3
	for line := range strings.Lines(text) {
		words := strings.Fields(line)
		if len(words) > 1 && words[0] == "nameserver" && len(servers) < most {
			servers = append(servers, words[1])
		}
	}
	return servers
}

// resolve queries a name server for a name over UDP, twice if the first packet is lost. Any answer will do, NXDOMAIN and REFUSED included, but
// SERVFAIL (RFC 1035, 4.1.1).
func resolve(ctx context.Context, server, name string) (dnsmessage.Header, error) {
	header, err := ask(ctx, "udp", server, name)
	var late net.Error
	if errors.As(err, &late) && late.Timeout() && ctx.Err() == nil {
		header, err = ask(ctx, "udp", server, name)
	}
	return header, err
}

// ask queries a name server for a name over "udp" or "tcp", and returns the header of its answer.
func ask(ctx context.Context, network, server, name string) (dnsmessage.Header, error) {
	question, id, err := query(name)
	if err != nil {
		return dnsmessage.Header{}, err
	}
	connection, err := (&net.Dialer{Timeout: localTimeout}).DialContext(ctx, network, net.JoinHostPort(server, "53"))
	if err != nil {
		return dnsmessage.Header{}, err
	}
	defer func() { _ = connection.Close() }()
	if err := connection.SetDeadline(time.Now().Add(localTimeout)); err != nil { // A socket's clock is the system's.
		return dnsmessage.Header{}, err
	}
	if network == "tcp" {
		question = append(binary.BigEndian.AppendUint16(nil, uint16(len(question))), question...)
	}
	if _, err := connection.Write(question); err != nil {
		return dnsmessage.Header{}, err
	}
	answer := make([]byte, 4096)
	for {
		n, err := readAnswer(connection, network, answer)
		if err != nil {
			return dnsmessage.Header{}, err
		}
		var parser dnsmessage.Parser
		header, err := parser.Start(answer[:n])
		if err != nil || header.ID != id || !header.Response {
			continue // not to this question
		}
		if header.RCode == dnsmessage.RCodeServerFailure {
			return header, errors.New("the server failed")
		}
		return header, nil
	}
}

// readAnswer reads a message, or as much of it as fits. Over TCP it is preceded by its length (RFC 1035, 4.2.2).
func readAnswer(connection net.Conn, network string, into []byte) (int, error) {
	if network == "udp" {
		return connection.Read(into)
	}
	var length [2]byte
	if _, err := io.ReadFull(connection, length[:]); err != nil {
		return 0, err
	}
	size := int(binary.BigEndian.Uint16(length[:]))
	n, err := io.ReadFull(connection, into[:min(size, len(into))])
	if err != nil {
		return 0, err
	}
	_, err = io.CopyN(io.Discard, connection, int64(size-n))
	return n, err
}

// query is a question for a name's addresses, or for the root's name servers.
func query(name string) ([]byte, uint16, error) {
	kind := dnsmessage.TypeA
	if name == root {
		kind = dnsmessage.TypeNS
	}
	absolute, err := dnsmessage.NewName(strings.TrimSuffix(name, ".") + ".")
	if err != nil {
		return nil, 0, fmt.Errorf("ask for %q: %w", name, err)
	}
	id := uint16(time.Now().UnixNano() >> 10) // Any number will do.
	message := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: id, RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: absolute, Type: kind, Class: dnsmessage.ClassINET}},
	}
	packed, err := message.Pack()
	return packed, id, err
}

const root = "."

// remoteClient is for the API server. Its certificate is not verified, because nothing confidential is sent, and nothing of the answer is used
// but that there is one; the reporter's own connection verifies it.
var remoteClient = &http.Client{
	Timeout: remoteTimeout,
	Transport: &http.Transport{
		DisableKeepAlives: true, Proxy: http.ProxyFromEnvironment,
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

const remoteTimeout = 5 * time.Second

// apiServer requests /livez of the API server that the agent reports to.
func apiServer(o Options) monitor.Periodic {
	return periodic("apiserver", shortPeriod, o.APIServer, func(ctx context.Context) ([]evidence.Evidence, error) {
		if o.APIServer == "" {
			return unavailable(evidence.Inapplicable, "configuration", "no API server is known", reason.APIServerUnreachable), nil
		}
		address, err := url.JoinPath(o.APIServer, "livez")
		if err != nil {
			return nil, fmt.Errorf("ask the API server: %w", err)
		}
		status, err := statusOf(ctx, remoteClient, address)
		switch {
		case err != nil:
			return []evidence.Evidence{fault(reason.APIServerUnreachable, o.APIServer, "HTTP", "%v", err)}, nil
		case status >= http.StatusInternalServerError: // The API server or its load balancer. One that refuses the request is reached.
			return []evidence.Evidence{fault(reason.APIServerUnreachable, o.APIServer, "HTTP", "%s answers %d", address, status)}, nil
		}
		return nil, nil
	}, reason.APIServerUnreachable)
}

// statusOf is the status code with which a server answers at an address.
func statusOf(ctx context.Context, client *http.Client, address string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return 0, fmt.Errorf("ask %s: %w", address, err)
	}
	response, err := client.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// kubeProxy requests kube-proxy's health, which is whether it keeps the rules of Services up to date (pkg/proxy/healthcheck). It is monitored
// where its process or its pod is on the host: other proxies may replace it.
func kubeProxy(h host.Host, o Options) monitor.Periodic {
	var seen process
	return periodic("kube-proxy", mediumPeriod, "/proc", func(ctx context.Context) ([]evidence.Evidence, error) {
		now, err := findProcess(h, "kube-proxy", "", seen)
		if err != nil {
			return nil, err
		}
		if seen = now; now == (process{}) && !hasPod(h, "kube-system_kube-proxy-") {
			return unavailable(evidence.Inapplicable, "/proc", "kube-proxy is not on this host", reason.KubeProxyNotReady), nil
		}
		status, err := statusOf(ctx, localClient, "http://"+o.KubeProxy+"/livez")
		if err == nil && status == http.StatusNotFound {
			status, err = statusOf(ctx, localClient, "http://"+o.KubeProxy+"/healthz") // before 1.28
		}
		switch {
		case err != nil:
			return []evidence.Evidence{fault(reason.KubeProxyNotReady, "", o.KubeProxy, "%v", err)}, nil
		case status != http.StatusOK:
			return []evidence.Evidence{fault(reason.KubeProxyNotReady, "", o.KubeProxy, "kube-proxy answers %d: its rules are not up to date", status)}, nil
		}
		return nil, nil
	}, reason.KubeProxyNotReady)
}

// hasPod says whether a pod is on the host whose namespace and name begin so.
func hasPod(h host.Host, prefix string) bool {
	pods, _ := os.ReadDir(h.Path(podLogs))
	return slices.ContainsFunc(pods, func(e os.DirEntry) bool { return strings.HasPrefix(e.Name(), prefix) })
}
