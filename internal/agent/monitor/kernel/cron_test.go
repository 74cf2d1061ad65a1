package kernel

import (
	"math/bits"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// A job is installed that runs every minute, and removed. The crontabs are a host's below a folder: this machine's are not
// ours to write.
func TestRapidCron(t *testing.T) {
	root := t.TempDir()
	write(t, filepath.Join(root, "etc/crontab"), "SHELL=/bin/sh\n17 *\t* * *\troot\tcd / && run-parts --report /etc/cron.hourly\n")
	find := cron{host.Host{Root: root}, 12}.find
	w := agenttest.Watch(t, []monitor.Monitor{periodic(100*time.Millisecond, "cron", find, reason.RapidCron)}, agenttest.Sooner(reason.RapidCron))
	w.Goes(reason.RapidCron, "/etc/cron.d/probe")

	job := filepath.Join(root, "etc/cron.d/probe")
	write(t, job, "# every minute\n* * * * * root /usr/local/bin/probe --password secret\n")
	if found, want := w.Stands(reason.RapidCron, "/etc/cron.d/probe"), "line 2: 60 minutes of the hour"; found.Raw != want {
		t.Errorf("says %q, want %q", found.Raw, want)
	}
	if err := os.Remove(job); err != nil {
		t.Fatal(err)
	}
	w.Goes(reason.RapidCron, "/etc/cron.d/probe")
}

func TestCrontabs(t *testing.T) {
	for name, tc := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"a host without cron": {nil, []string{"RapidCron Inapplicable "}},
		"what Debian and sysstat install": {map[string]string{
			"/etc/cron.d/e2scrub_all": "30 3 * * 0 root test -e /run/systemd/system || SERVICE_MODE=1 /usr/lib/x86_64-linux-gnu/e2fsprogs/e2scrub_all_cron\n10 3 * * * root test -e /run/systemd/system || SERVICE_MODE=1 /sbin/e2scrub_all -A -r\n",
			"/etc/cron.d/sysstat":     "PATH=/usr/lib/sysstat:/usr/sbin:/usr/sbin:/usr/bin:/sbin:/bin\n5-55/10 * * * * root command -v debian-sa1 > /dev/null && debian-sa1 1 1\n",
			"/var/spool/cron/root":    "*/5 * * * * /usr/bin/true\n@daily /usr/bin/true with five more words here\n",
		}, nil},
		"a user's job, every two minutes": {map[string]string{"/var/spool/cron/crontabs/app": "# m h dom mon dow command\n*/2 * * * * true\n"}, []string{"RapidCron Fault /var/spool/cron/crontabs/app"}},
		"what packages leave behind":      {map[string]string{"/etc/cron.d/job.dpkg-old": "* * * * * root true\n", "/etc/cron.d/.placeholder": "* * * * * root true\n", "/etc/cron.d/job~": "* * * * * root true\n", "/etc/cron.d/job": "1 * * * * root true\n"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := host.Host{Root: t.TempDir()}
			for path, text := range tc.files {
				write(t, filepath.Join(h.Root, path), text)
			}
			found, err := cron{h, 12}.find(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			compare(t, tc.want, found)
		})
	}
}

func TestMinutes(t *testing.T) {
	for field, want := range map[string]int{
		"*": 60, "*/5": 12, "*/7": 9, "0": 1, "0,30": 2, "0-9": 10, "0-9/2": 5, "5/10": 6, "5-55/10,7": 7, "0~59": 1, "0,0,0": 1,
		"60": 0, "-1": 0, "9-5": 0, "*/0": 0, "*/60": 0, "a": 0, "": 0, "PATH=/bin": 0, "@daily": 0, "1,": 0, "*/5/5": 0,
	} {
		if got := bits.OnesCount64(minutes(field)); got != want {
			t.Errorf("%q is %d minutes, want %d", field, got, want)
		}
	}
}

func FuzzCrontab(f *testing.F) {
	f.Add("*/5 * * * * root true\n")
	f.Add("0-59/2,1~5 * * * * true")
	f.Fuzz(func(t *testing.T, text string) {
		if line, most := busiest(text); most > 60 || (line == 0) != (most == 0) {
			t.Errorf("%d minutes in line %d", most, line)
		}
	})
}
