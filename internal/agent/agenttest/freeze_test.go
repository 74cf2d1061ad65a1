package agenttest

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// freezer, set in the environment, has this program freeze a disk and be killed: "FOLDER IMAGE AT".
const freezer = "NAOSU_TEST_FREEZER"

func freezeForGood(what string) error {
	var folder, image, at string
	if _, err := fmt.Sscan(what, &folder, &image, &at); err != nil {
		return err
	}
	if err := mountDisk(context.Background(), image, at); err != nil {
		return err
	}
	if _, err := (machine{folder: folder}).freeze(context.Background(), at); err != nil {
		return err
	}
	go func() { _ = os.WriteFile(filepath.Join(at, "file"), []byte("x"), 0o600) }() // It waits for good.
	fmt.Println("frozen")
	select {}
}

func mountDisk(ctx context.Context, image, at string) error {
	out, err := exec.CommandContext(ctx, "sh", "-c", `truncate --size=16M "$0" && mkfs.ext4 -q "$0" && mount -o loop "$0" "$1"`, image, at).CombinedOutput()
	if err != nil {
		return fmt.Errorf("make a disk: %w: %s", err, out)
	}
	return nil
}

// What was frozen by a process that is killed, and whose namespace is gone, is thawed by the next that freezes anything.
func TestFreezeAfterAKill(t *testing.T) {
	Need(t, Root, "mkfs.ext4", "fsfreeze", "unshare")
	if !Alone(t) {
		return
	}
	m := machine{folder: filepath.Join(t.TempDir(), "machine")}
	image := filepath.Join(t.TempDir(), "killed")
	child := exec.CommandContext(t.Context(), "/proc/self/exe")
	child.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %s", freezer, m.folder, image, t.TempDir()))
	child.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNS}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "frozen\n" {
		t.Fatalf("it says %q: %v", line, err)
	}
	_ = child.Process.Kill()

	at := t.TempDir()
	if err := mountDisk(t.Context(), filepath.Join(t.TempDir(), "other"), at); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(at, unix.MNT_DETACH) })
	freeze := func() (thaw func()) {
		thaw, err := m.freeze(t.Context(), at)
		if err != nil {
			t.Fatal(err)
		}
		return thaw
	}
	for used(t, image) { // It takes a moment to be dead.
		freeze()()
	}
	_ = child.Wait() // Its writer has gone on, and so it could end.
	thaw := freeze()
	defer thaw()
	if _, err := m.noteFrozen(t.Context(), open(t, at)); err == nil {
		t.Errorf("what is frozen and whose test lives is taken for left")
	}
	thaw()
	if left, err := filepath.Glob(m.folder + "/*"); err != nil || len(left) > 0 {
		t.Errorf("notes %q are left: %v", left, err)
	}
}

func open(t *testing.T, path string) *os.File {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = file.Close() })
	return file
}

// used says whether a loop device has an image.
func used(t *testing.T, image string) bool {
	t.Helper()
	devices, err := filepath.Glob("/sys/block/loop*")
	if err != nil || len(devices) == 0 {
		t.Fatalf("no loop devices: %v", err)
	}
	for _, device := range devices {
		if strings.HasPrefix(imageOf(filepath.Base(device)), image) {
			return true
		}
	}
	return false
}

// A note may say anything: nothing is mounted but the device that it was written for.
func TestFreezeNotesThatAreNone(t *testing.T) {
	folder := t.TempDir()
	for name, image := range map[string]string{"frozen-vda": "", "frozen-loop99999": "/etc/passwd", "frozen-loop0x": "/image", "frozen-loop0": ""} {
		path := filepath.Join(folder, name)
		put(t, path, image)
		if err := thawLeft(t.Context(), path); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
