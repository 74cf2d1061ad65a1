// Package systemd is a client of the host's systemd over D-Bus: it reads the state of services, and restarts them. It uses one connection, and reads
// one property a call, because a unit has some two hundred (https://www.freedesktop.org/software/systemd/man/org.freedesktop.systemd1.html).
package systemd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"github.com/naosu-dev/naosu/internal/agent/host"
)

// ErrAbsent says that the host has no systemd on its bus.
var ErrAbsent = errors.New("no systemd here: its bus has no socket")

// authTimeout bounds the authentication at the bus. Calls are bounded by their contexts.
const authTimeout = 5 * time.Second

const (
	name    = "org.freedesktop.systemd1"
	manager = name + ".Manager"
	unit    = name + ".Unit"
	service = name + ".Service"
)

// Bus is a connection to the host's systemd. It connects at the first call, and again after the connection was lost.
type Bus struct {
	socket string
	mu     sync.Mutex
	conn   *dbus.Conn
}

// New makes the Bus of a host, which need not have one.
func New(h host.Host) *Bus { return &Bus{socket: h.Path("/run/dbus/system_bus_socket")} }

// Service is a unit of the kind, as systemd(1) describes its states.
type Service struct {
	// Name is with the ending: "kubelet.service".
	Name string
	// Load is "loaded", or "not-found" of a service that others only mention.
	Load string
	// Active is active, reloading, inactive, failed, activating or deactivating; Sub is "auto-restart" while systemd waits
	// before it starts it again.
	Active, Sub string
	// Job is the number of the job that systemd has in hand for it, 0 if none.
	Job  uint32
	path dbus.ObjectPath
}

// Services are those that systemd holds: all that run, fail, or are wanted by another unit.
func (b *Bus) Services(ctx context.Context) ([]Service, error) {
	return b.list(ctx, "ListUnitsByPatterns", []string{}, []string{"*.service"})
}

// Service is one service. That there is none shows in Load.
func (b *Bus) Service(ctx context.Context, name string) (Service, error) {
	found, err := b.list(ctx, "ListUnitsByNames", []string{name})
	if err != nil {
		return Service{}, err
	}
	if len(found) != 1 {
		return Service{}, fmt.Errorf("systemd tells of %d units named %s", len(found), name)
	}
	return found[0], nil
}

func (b *Bus) list(ctx context.Context, method string, arguments ...any) ([]Service, error) {
	var units []struct {
		Name, Description, Load, Active, Sub, Follows string
		Path                                          dbus.ObjectPath
		Job                                           uint32
		JobType                                       string
		JobPath                                       dbus.ObjectPath
	}
	if err := b.call(ctx, "/org/freedesktop/systemd1", manager+"."+method, &units, arguments...); err != nil {
		return nil, fmt.Errorf("list systemd's services: %w", err)
	}
	services := make([]Service, len(units))
	for i, u := range units {
		services[i] = Service{Name: u.Name, Load: u.Load, Active: u.Active, Sub: u.Sub, Job: u.Job, path: u.Path}
	}
	return services, nil
}

// Restarts is how often systemd itself has started the service again since a person last did (NRestarts).
func (b *Bus) Restarts(ctx context.Context, s Service) (uint32, error) {
	return property[uint32](ctx, b, s, service, "NRestarts")
}

// Result is why the service ended: "exit-code", "signal", "timeout", "start-limit-hit"…
func (b *Bus) Result(ctx context.Context, s Service) (string, error) {
	return property[string](ctx, b, s, service, "Result")
}

// Status is the exit status of the service's main process, or the signal that ended it.
func (b *Bus) Status(ctx context.Context, s Service) (int32, error) {
	return property[int32](ctx, b, s, service, "ExecMainStatus")
}

// Transient says that the service was made by a call, as by systemd-run, and has no file.
func (b *Bus) Transient(ctx context.Context, s Service) (bool, error) {
	return property[bool](ctx, b, s, unit, "Transient")
}

// Since is when the service came into the state it is in.
func (b *Bus) Since(ctx context.Context, s Service) (time.Time, error) {
	micros, err := property[uint64](ctx, b, s, unit, "StateChangeTimestamp")
	return time.UnixMicro(int64(micros)), err
}

// Began is when the service was last begun to be started (InactiveExitTimestamp), zero if it never was.
func (b *Bus) Began(ctx context.Context, s Service) (time.Time, error) {
	micros, err := property[uint64](ctx, b, s, unit, "InactiveExitTimestamp")
	if err != nil || micros == 0 {
		return time.Time{}, err
	}
	return time.UnixMicro(int64(micros)), nil
}

func property[T any](ctx context.Context, b *Bus, s Service, kind, property string) (T, error) {
	var value dbus.Variant
	var typed T
	if err := b.call(ctx, s.path, "org.freedesktop.DBus.Properties.Get", &value, kind, property); err != nil {
		return typed, fmt.Errorf("read %s of %s: %w", property, s.Name, err)
	}
	typed, is := value.Value().(T)
	if !is {
		return typed, fmt.Errorf("read %s of %s: it is %s", property, s.Name, value)
	}
	return typed, nil
}

// call calls a method of systemd. A connection on which a call failed for other reasons than systemd's answer is given up.
func (b *Bus) call(ctx context.Context, path dbus.ObjectPath, method string, answer any, arguments ...any) error {
	conn, err := b.connection(ctx)
	if err != nil {
		return err
	}
	err = conn.Object(name, path).CallWithContext(ctx, method, 0, arguments...).Store(answer)
	if refused := new(dbus.Error); err != nil && !errors.As(err, refused) {
		b.giveUp(conn)
	}
	return err
}

func (b *Bus) connection(ctx context.Context) (*dbus.Conn, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conn != nil && b.conn.Connected() {
		return b.conn, nil
	}
	conn, err := connect(ctx, b.socket)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, ErrAbsent
	}
	if err != nil {
		return nil, fmt.Errorf("connect to the bus at %s: %w", b.socket, err)
	}
	b.conn = conn
	return conn, nil
}

func connect(ctx context.Context, socket string) (*dbus.Conn, error) {
	var dialer net.Dialer
	dialled, err := dialer.DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, err
	}
	stream := dialled.(*net.UnixConn) // as documented for that network
	// The authentication takes no context, and would never return if the bus hangs.
	_ = stream.SetDeadline(time.Now().Add(authTimeout))
	conn, err := dbus.DialUnix(stream) // NewConn panics where a message breaks off after its header, such as when the connection is closed.
	if err != nil {
		return nil, errors.Join(err, stream.Close())
	}
	if err = conn.Auth(nil); err == nil {
		err = conn.Hello()
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return conn, stream.SetDeadline(time.Time{})
}

func (b *Bus) giveUp(conn *dbus.Conn) {
	b.mu.Lock()
	defer b.mu.Unlock()
	_ = conn.Close()
	if b.conn == conn {
		b.conn = nil
	}
}

// Close ends the connection.
func (b *Bus) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.conn != nil {
		_ = b.conn.Close()
		b.conn = nil
	}
}
