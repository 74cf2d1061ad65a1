package inprocess_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/inprocess"
	"github.com/naosu-dev/naosu/lab/controlplane/planetest"
)

// TestBadOptions has what must fail as an error of Start, most of it before anything runs.
func TestBadOptions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	flags := func(c controlplane.Component, flags ...string) controlplane.Options {
		return controlplane.Options{Flags: map[controlplane.Component][]string{c: flags}}
	}
	for name, test := range map[string]struct {
		options controlplane.Options
		want    []string
	}{
		"unknown flag":          {flags(controlplane.APIServer, "--no-such"), []string{"kube-apiserver", "--no-such"}},
		"unknown flag of etcd":  {flags(controlplane.Etcd, "--no-such"), []string{"etcd", "no-such"}},
		"flag of another":       {flags(controlplane.Scheduler, "--node-monitor-period=5s"), []string{"kube-scheduler", "--node-monitor-period"}},
		"bad value":             {flags(controlplane.ControllerManager, "--node-monitor-grace-period=soon"), []string{"kube-controller-manager", "--node-monitor-grace-period", "soon"}},
		"value refused later":   {flags(controlplane.APIServer, "--authorization-mode=Whim"), []string{"kube-apiserver", "authorization-mode", "Whim"}},
		"not a flag":            {flags(controlplane.APIServer, "v=4"), []string{"kube-apiserver", `"v=4" is not a flag`}},
		"process-wide flag":     {flags(controlplane.APIServer, "--feature-gates=A=true"), []string{"kube-apiserver", "--feature-gates", "Options.FeatureGates"}},
		"flag that would exit":  {flags(controlplane.Scheduler, "--leader-elect"), []string{"kube-scheduler", "--leader-elect"}},
		"unknown component":     {flags("kubelet", "--v=1"), []string{`"kubelet"`, "no such component"}},
		"missing configuration": {flags(controlplane.Scheduler, "--config=/no/such"), []string{"kube-scheduler", "/no/such"}},
		"unknown feature gate":  {controlplane.Options{FeatureGates: map[string]bool{"NoSuchGate": true}}, []string{"feature gate", "NoSuchGate"}},
		"name as bind address":  {controlplane.Options{BindAddress: "localhost"}, []string{`"localhost"`, "not an IP address"}},
		"strange bind address":  {controlplane.Options{BindAddress: "192.0.2.7"}, []string{"192.0.2.7", "cannot assign requested address"}},
		"data folder is a file": {controlplane.Options{DataDir: file}, []string{file, "not a directory"}},
		"read-only folder":      {controlplane.Options{DataDir: "/proc/lab"}, []string{"/proc/lab"}},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := inprocess.Start(t.Context(), test.options)
			if err == nil {
				_ = p.Stop()
			}
			planetest.WantError(t, err, test.want...)
		})
	}
	if err := inprocess.Unusable(); err != nil {
		t.Errorf("the process cannot run a plane any more: %v", err)
	}
}

// TestStopBeforeReady stops a plane when its API server has begun to start, where a plain cancel would end the process.
func TestStopBeforeReady(t *testing.T) {
	reason := errors.New("changed my mind")
	ctx, cancel := context.WithCancelCause(t.Context())
	log := writer(func(line []byte) {
		if bytes.Contains(line, []byte("Adding GroupVersion")) {
			cancel(reason)
		}
	})
	dir := t.TempDir()
	kubeconfig := filepath.Join(dir, "kubeconfig")
	if err := os.WriteFile(kubeconfig, []byte("of an earlier run"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := inprocess.Start(ctx, controlplane.Options{DataDir: dir, Log: log})
	if !errors.Is(err, reason) {
		t.Errorf("got %v, want %v", err, reason)
	}
	if _, err := os.Stat(kubeconfig); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("kubeconfig of a plane that was never ready: got %v, want none", err)
	}
	if err := inprocess.Unusable(); err != nil {
		t.Errorf("the process cannot run a plane any more: %v", err)
	}
}

type writer func([]byte)

func (w writer) Write(line []byte) (int, error) {
	w(line)
	return len(line), nil
}

// damage starts on damaged copies of a stopped plane's folder.
func (b fixture) damage(t *testing.T) {
	database, log := filepath.Join("etcd", "member", "snap", "db"), filepath.Join("etcd", "member", "wal")
	for name, test := range map[string]struct {
		file   string
		damage func(*os.File, int64) error
		want   string
	}{
		"database overwritten":    {database, overwrite(0, 1), "damaged data"},
		"database's pages mixed":  {database, overwrite(1./64, 1), "damaged data"},
		"database cut":            {database, func(f *os.File, size int64) error { return f.Truncate(size / 64) }, "damaged data"},
		"log overwritten":         {log, overwrite(0, 1./64), "damaged data"},
		"log empty":               {log, func(f *os.File, _ int64) error { return f.Truncate(0) }, "damaged data"},
		"certificate overwritten": {filepath.Join("pki", "ca.crt"), overwrite(0, 1), "ca.crt"},
		"key missing":             {filepath.Join("pki", "ca.key"), func(f *os.File, _ int64) error { return os.Remove(f.Name()) }, "ca.key"},
		"port nonsense":           {"port", overwrite(0, 1), "port"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(b.options.DataDir)); err != nil {
				t.Fatal(err)
			}
			corrupt(t, filepath.Join(dir, test.file), test.damage)
			p, err := inprocess.Start(t.Context(), controlplane.Options{DataDir: dir})
			if err == nil {
				_ = p.Stop()
			}
			planetest.WantError(t, err, test.want)
		})
	}
	if err := inprocess.Unusable(); err != nil {
		t.Errorf("the process cannot run a plane any more: %v", err)
	}
}

// corrupt does something to a file, or to the first one of a folder.
func corrupt(t *testing.T, name string, do func(*os.File, int64) error) {
	t.Helper()
	if inside, err := filepath.Glob(filepath.Join(name, "*.wal")); err == nil && len(inside) > 0 {
		name = inside[0]
	}
	f := planetest.Must(os.OpenFile(name, os.O_RDWR, 0))
	defer f.Close()
	info := planetest.Must(f.Stat())
	if err := do(f, info.Size()); err != nil {
		t.Fatal(err)
	}
}

// overwrite overwrites a part of a file, given as fractions of its size.
func overwrite(from, to float64) func(*os.File, int64) error {
	return func(f *os.File, size int64) error {
		start := int64(from * float64(size))
		_, err := io.Copy(io.NewOffsetWriter(f, start), bytes.NewReader(bytes.Repeat([]byte{0xa5}, int(to*float64(size))-int(start))))
		return err
	}
}

// TestFullDisk starts a plane on a disk that is almost full.
func TestFullDisk(t *testing.T) {
	dir := t.TempDir()
	if err := planetest.MountMemory(dir, 100<<20); err != nil {
		t.Skipf("cannot mount a small disk here, as only root can on Linux: %v", err)
	}
	t.Cleanup(func() { _ = planetest.Unmount(dir) })

	planetest.FillDisk(t, filepath.Join(dir, "fill"), 1<<20)
	_, err := inprocess.Start(t.Context(), controlplane.Options{DataDir: filepath.Join(dir, "never")})
	planetest.WantError(t, err, "no space left on device")
	if err := inprocess.Unusable(); err != nil {
		t.Errorf("the process cannot run a plane any more: %v", err)
	}
}
