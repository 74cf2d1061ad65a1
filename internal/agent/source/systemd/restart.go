package systemd

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/godbus/dbus/v5"
)

// Restart restarts a service, or starts one that does not run, and waits until systemd has done so or given up. result is
// systemd's own word for the job: done, canceled, timeout, failed, dependency, skipped… It has a connection of its own, with
// which its subscription to systemd's signals ends.
func (b *Bus) Restart(ctx context.Context, name string) (result string, err error) {
	conn, err := connect(ctx, b.socket)
	if errors.Is(err, fs.ErrNotExist) {
		return "", ErrAbsent
	}
	if err != nil {
		return "", fmt.Errorf("connect to the bus at %s: %w", b.socket, err)
	}
	defer func() { _ = conn.Close() }()
	if result, err = restart(ctx, conn, name); err != nil {
		return "", fmt.Errorf("restart %s: %w", name, err)
	}
	return result, nil
}

func restart(ctx context.Context, conn *dbus.Conn, unit string) (string, error) {
	// Whoever listens from before the job hears its end, however short it is.
	signals := make(chan *dbus.Signal, 16)
	conn.Signal(signals)
	if err := conn.AddMatchSignalContext(ctx, dbus.WithMatchInterface(manager), dbus.WithMatchMember("JobRemoved")); err != nil {
		return "", err
	}
	systemd := conn.Object(name, "/org/freedesktop/systemd1")
	if err := systemd.CallWithContext(ctx, manager+".Subscribe", 0).Err; err != nil {
		return "", err
	}
	var job dbus.ObjectPath
	if err := systemd.CallWithContext(ctx, manager+".RestartUnit", 0, unit, "replace").Store(&job); err != nil {
		return "", err
	}
	for {
		select {
		case <-ctx.Done():
			return "", context.Cause(ctx)
		case signal, open := <-signals:
			if !open {
				return "", errors.New("the bus went away before systemd told the result")
			}
			if len(signal.Body) == 4 && signal.Body[1] == job {
				return fmt.Sprint(signal.Body[3]), nil
			}
		}
	}
}
