package fault

import (
	"fmt"
	"runtime"

	"golang.org/x/sys/unix"
)

// inNamespace calls do on a thread that has a network namespace of its own. The namespace goes with the thread, and the thread
// with the goroutine, because that is never unlocked from it.
func inNamespace(do func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() == unix.Getpid() {
			// The process' first thread never ends, and its namespace is what /proc shows as the process' own.
			done <- inNamespace(do)
			runtime.UnlockOSThread()
			return
		}
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			runtime.UnlockOSThread()
			done <- refused(fmt.Errorf("make a network namespace: %w", err), "CAP_SYS_ADMIN and CAP_NET_ADMIN")
			return
		}
		done <- do()
	}()
	return <-done
}
