package inprocess

import "testing"

// TestWaitForDisk reads the configuration after its flags are parsed, since etcd's own flags set what they do not get.
func TestWaitForDisk(t *testing.T) {
	f, err := openFolder(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.close() })
	for name, test := range map[string]struct {
		flags []string
		waits bool
	}{
		"without flags":    {nil, false},
		"with other flags": {[]string{"--quota-backend-bytes=1000000"}, false},
		"with its flag":    {[]string{"--unsafe-no-fsync=false"}, true},
	} {
		config, err := etcdConfig(f, test.flags)
		if err != nil {
			t.Fatal(err)
		}
		if waits := !config.UnsafeNoFsync; waits != test.waits {
			t.Errorf("%s, etcd waits for the disk: %v, want %v", name, waits, test.waits)
		}
	}
}
