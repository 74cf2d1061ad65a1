package fault

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// inNamespace calls do on a thread with a network namespace of its own. The namespace is removed when the thread ends, which ends with its
// goroutine, because that is never unlocked from it.
func inNamespace(do func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			// The process's first thread never ends, and /proc shows its namespace as the process's.
			done <- inNamespace(do)
			runtime.UnlockOSThread()
			return
		}
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			runtime.UnlockOSThread()
			done <- withNeededPrivileges(fmt.Errorf("make a network namespace: %w", err), "CAP_SYS_ADMIN and CAP_NET_ADMIN")
			return
		}
		done <- do()
	}()
	return <-done
}
