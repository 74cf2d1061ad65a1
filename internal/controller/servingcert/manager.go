package servingcert

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/go-logr/logr"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/record"
)

const (
	// interval is how often it is looked what is stored. It bounds for how long what others have changed there stays.
	interval = time.Minute
	// publishedFor is how long the certificate of a new authority must have been published before this replica signs with it, where an
	// older one can sign. A kubelet brings a mounted ConfigMap up to date within about two minutes.
	publishedFor = time.Hour
	// After a failure, it is tried again after firstRetry, and then less and less often, up to interval.
	firstRetry = time.Second
	// maxConflicts is how often other writers may be faster in a row before it waits.
	maxConflicts = 5
)

// Store stores the certificate authorities. It is record.Records.
type Store interface {
	ReadHeartbeatCA(context.Context) (*record.HeartbeatCA, error)
	WriteHeartbeatCA(ctx context.Context, read *record.HeartbeatCA, certificates, keys []byte) (written bool, err error)
	PublishHeartbeatCA(ctx context.Context, read *record.HeartbeatCA, certificates string) (written bool, err error)
}

// Manager makes the certificate authorities with the other replicas, and this replica's serving certificate, which is only in memory.
type Manager struct {
	Store Store
	// ServerName is the DNS name that the certificates are for.
	ServerName string
	Clock      clock.Clock
	Log        logr.Logger

	mu sync.RWMutex
	// authorities are those that were stored when it was last known, the oldest first.
	authorities []authority
	// since is from when on it was seen, without interruption, that an authority is published, by its id.
	since  map[string]time.Time
	signer string // The id of the authority of the current certificate.
	// current is the serving certificate, nil before the first; failed is why there is none.
	current *tls.Certificate
	failed  error
}

// GetCertificate returns the serving certificate: it is tls.Config's. It fails while there is none that is valid.
func (m *Manager) GetCertificate(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if m.current != nil && m.Clock.Now().Before(m.current.Leaf.NotAfter) {
		return m.current, nil
	}
	if m.failed != nil {
		return nil, fmt.Errorf("there is no serving certificate: %w", m.failed)
	}
	return nil, errors.New("there is no serving certificate yet")
}

// Run keeps the certificate authorities and the serving certificate up to date until the context ends. What fails is logged and tried
// again.
func (m *Manager) Run(ctx context.Context) error {
	for retry := firstRetry; ; {
		pause := wait.Jitter(interval, 0.1)
		if err := m.update(ctx); err == nil {
			retry = firstRetry
		} else if ctx.Err() == nil {
			m.Log.Error(err, "The certificate authorities of the heartbeat server are not up to date")
			pause = wait.Jitter(retry, 0.1)
			retry = min(2*retry, interval)
		}
		timer := m.Clock.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return nil
		case <-timer.C():
		}
	}
}

// update brings up to date what is stored, and then the serving certificate: also where the API server cannot be reached, as long as
// the authorities that are known are valid.
func (m *Manager) update(ctx context.Context) error {
	err := m.store(ctx)
	return errors.Join(err, m.renew(err))
}

func (m *Manager) store(ctx context.Context) error {
	for conflicts := 1; ; conflicts++ {
		err := m.tryStore(ctx)
		if !apierrors.IsConflict(err) || conflicts == maxConflicts {
			return err
		}
	}
}

// tryStore has the Secret hold the authorities that there should be, and the ConfigMap their certificates, and nothing else.
func (m *Manager) tryStore(ctx context.Context) error {
	read, err := m.Store.ReadHeartbeatCA(ctx)
	if err != nil {
		return err
	}
	now := m.Clock.Now()
	seen := published(read.Published)
	all := parse(read.Certificates, read.Keys, now, m.ServerName)
	made, due := 0, renewalDue(all, now)
	if due {
		next, err := newAuthority(now, m.ServerName)
		if err != nil {
			return err
		}
		all, made = append(all, next), 1
	}
	certificates, keys, err := encode(all)
	if err != nil {
		return err
	}
	written, err := m.Store.WriteHeartbeatCA(ctx, read, certificates, keys)
	if err != nil {
		return err
	}
	if written {
		m.Log.Info("Stored the certificate authorities of the heartbeat server", "kept", len(all)-made, "made", made)
	}
	m.know(all, seen, now)
	written, err = m.Store.PublishHeartbeatCA(ctx, read, string(certificates))
	if err != nil {
		return err
	}
	if written {
		m.Log.Info("Published the certificates of the certificate authorities of the heartbeat server", "certificates", len(all))
	}
	m.know(all, published(read.Published), now)
	return nil
}

// renewalDue says whether a new authority is to be made: the newest is old enough, or none can sign.
func renewalDue(all []authority, now time.Time) bool {
	if !slices.ContainsFunc(all, func(a authority) bool { return a.valid(now) }) {
		return true
	}
	return now.Sub(all[len(all)-1].certificate.NotBefore) >= authorityRenewal+backdate
}

// know notes which authorities there are, and which of them are published at a time.
func (m *Manager) know(all []authority, published map[string]bool, now time.Time) {
	m.mu.Lock()
	defer m.mu.Unlock()
	before := m.since
	m.authorities, m.since = all, map[string]time.Time{}
	for _, a := range all {
		if !published[a.id()] {
			continue
		}
		m.since[a.id()] = now
		if since, ok := before[a.id()]; ok {
			m.since[a.id()] = since
		}
	}
}

// renew replaces the serving certificate if half of its time is over, or another authority is to sign it. The error is why the
// authorities may not be up to date, nil if they are.
func (m *Manager) renew(cause error) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	now := m.Clock.Now()
	by, ok := m.chooseSigner(now)
	if !ok {
		if m.failed = cause; cause == nil {
			m.failed = errNone
			return errNone
		}
		return nil
	}
	if m.current != nil && m.signer == by.id() && now.Before(halfLife(m.current)) {
		return nil
	}
	made, err := by.serve(now, m.ServerName)
	if err != nil {
		m.failed = err
		return err
	}
	m.current, m.signer, m.failed = made, by.id(), nil
	m.Log.Info("Made a serving certificate", "until", made.Leaf.NotAfter)
	return nil
}

// chooseSigner returns the newest authority that was published long enough; where this replica has not known any for so long, the
// oldest, which others have known longest, or, once that expires soon, the newest.
func (m *Manager) chooseSigner(now time.Time) (chosen authority, ok bool) {
	var usable []authority
	for _, a := range m.authorities {
		if _, ok := m.since[a.id()]; ok && a.valid(now) {
			usable = append(usable, a)
		}
	}
	if len(usable) == 0 {
		return authority{}, false
	}
	for _, a := range slices.Backward(usable) {
		if now.Sub(m.since[a.id()]) >= publishedFor {
			return a, true
		}
	}
	if oldest := usable[0]; oldest.certificate.NotAfter.Sub(now) > 2*publishedFor {
		return oldest, true
	}
	return usable[len(usable)-1], true
}

// halfLife is when a certificate that was made backdated has lived for half of its time.
func halfLife(c *tls.Certificate) time.Time {
	from := c.Leaf.NotBefore.Add(backdate)
	return from.Add(c.Leaf.NotAfter.Sub(from) / 2)
}
