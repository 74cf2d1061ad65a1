package cli

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"
)

// niceVariable is an environment variable: the niceness of the lab and of what it starts, from -20 to 19 (nice(1)). make test sets it below that of
// the tests, which wait for labs: a scenario's deadlines pass on the wall clock, whatever else takes the processors.
const niceVariable = "NAOSU_LAB_NICE"

// setNiceness applies niceVariable if it is set. A user who may not lower the niceness keeps that of the caller.
func setNiceness() error {
	value := os.Getenv(niceVariable)
	if value == "" {
		return nil
	}
	niceness, err := strconv.Atoi(value)
	if err != nil || niceness < -20 || niceness > 19 {
		return badInputError{fmt.Errorf("the environment variable %s is %q; set it to a number from -20 to 19", niceVariable, value)}
	}
	// Linux sets the niceness of a thread. Those that are yet to start have that of the thread that starts them.
	threads, err := os.ReadDir("/proc/self/task")
	if err != nil {
		return fmt.Errorf("list the threads of this process: %w", err)
	}
	for _, thread := range threads {
		id, err := strconv.Atoi(thread.Name())
		if err != nil {
			return fmt.Errorf("list the threads of this process: %w", err)
		}
		err = unix.Setpriority(unix.PRIO_PROCESS, id, niceness)
		if err != nil && !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EPERM) && !errors.Is(err, unix.ESRCH) {
			return fmt.Errorf("set the niceness: %w", err)
		}
	}
	return nil
}
