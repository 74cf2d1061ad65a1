package fault

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/source/kmsg"
)

// KernelLog is the device of the kernel's log.
const KernelLog = "/dev/kmsg"

// LogLine writes a line of a drill into a host's kernel log, calls made, and reads it back. The kernel marks it with the facility of a process,
// so that no pattern is applied to it.
func LogLine(ctx context.Context, h host.Host, nonce string, now clock.Clock, made func()) error {
	boot, err := h.Boot()
	if err != nil {
		return err
	}
	log, err := kmsg.Open(h.Path(KernelLog), boot.At, 0, now)
	if err != nil {
		return withNeededPrivileges(err, "the host's "+KernelLog)
	}
	defer func() { _ = log.Close() }()
	for err == nil { // An earlier record.
		_, err = log.Buffered()
	}
	if !errors.Is(err, io.EOF) {
		return err
	}
	if err := write(h.Path(KernelLog), nonce); err != nil {
		return withNeededPrivileges(fmt.Errorf("write into the kernel log: %w", err), "the host's "+KernelLog)
	}
	made()
	for {
		record, err := log.Next(ctx)
		if err != nil {
			return err
		}
		if strings.Contains(record.Text, nonce) {
			return nil
		}
	}
}

func write(path, nonce string) error {
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = io.WriteString(file, "<15>"+text(nonce)+"\n") // user.debug: syslog(2)
	return errors.Join(err, file.Close())
}

// text is the line. The kernel logs no such words.
func text(nonce string) string { return "naosu-agent: drill " + nonce + " (a rehearsal, all is well)" }
