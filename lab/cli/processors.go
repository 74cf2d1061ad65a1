package cli

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"strconv"

	"golang.org/x/sys/unix"
)

// The environment variables that limit what a lab takes of the machine's processors. make test sets them, as it runs several labs at once.
const (
	// niceVariable is the niceness of the lab and of what it starts, from -20 to 19 (nice(1)). Below that of the tests which wait for the lab, the
	// deadlines of a scenario, which pass on the wall clock, do not depend on what else takes the processors.
	niceVariable = "NAOSU_LAB_NICE"
	// processorsVariable is how many processors the lab takes at once, at least 1. With one, a control plane spends a quarter less time on them:
	// its threads do not wake each other.
	processorsVariable = "NAOSU_LAB_GOMAXPROCS"
)

// limitProcessors applies the environment variables that are set. What is no number of their range is bad input.
func limitProcessors() error {
	processors, set, err := numberFrom(processorsVariable, 1, 1024)
	if err != nil {
		return err
	}
	if set {
		runtime.GOMAXPROCS(processors)
	}
	niceness, set, err := numberFrom(niceVariable, -20, 19)
	if err != nil || !set {
		return err
	}
	return setNiceness(niceness)
}

func numberFrom(variable string, least, most int) (number int, set bool, err error) {
	value := os.Getenv(variable)
	if value == "" {
		return 0, false, nil
	}
	number, err = strconv.Atoi(value)
	if err != nil || number < least || number > most {
		return 0, false, badInputError{fmt.Errorf("the environment variable %s is %q; set it to a number from %d to %d", variable, value, least, most)}
	}
	return number, true, nil
}

// setNiceness sets the niceness of every thread: Linux has it for each, and those that are yet to start have that of the thread which starts them. A user who
// may not lower it keeps that of the caller.
func setNiceness(niceness int) error {
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
