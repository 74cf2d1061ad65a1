package addresses

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/message"
)

const inputs = "../../diagnosis/testdata/audit/"

// run asks the verb about a file.
func run(t *testing.T, args ...string) (stdout string, err error) {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	var out bytes.Buffer
	cmd := NewCommand(connect.Flags(), genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &bytes.Buffer{}})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(t.Context())
	return out.String(), err
}

func TestText(t *testing.T) {
	for name, tc := range map[string]struct {
		args      []string
		has, lack []string
		code      int
	}{
		"a page": {
			[]string{"--from", inputs + "n401-story4.yaml"},
			[]string{
				"1 subnet, 2 nodes, 2 leaked interfaces with 6 addresses.", "subnet-0a   us-east-1a   27     0      10     8       6        0",
				"NODES WITHOUT ADDRESSES", "bad    m5.large   1/3          0      0/27", "N401", "N403", "aws ec2 create-tags --resources subnet-0b",
			},
			[]string{"LEAKED INTERFACES", "eni-0005", "UNKNOWN", "good   m5.large"},
			exit.OK,
		},
		"a wide page": {
			[]string{"--from", inputs + "n401-story4.yaml", "-o", "wide", "--fail-on", "critical"},
			[]string{"LEAKED INTERFACES", "eni-0005", "subnet-0a   us-east-1a   10.0.1.0/27   27     0      10     8       6        3       0", "yes      i-00000000000000099   yes\n", "i-00000000000000098   no: instance exists", "good   m5.large", "10/18"},
			nil, exit.Found,
		},
		"an unknown maximum": {
			[]string{"--from", inputs + "n402-unknown-maximum.yaml", "--fail-on", "warning"},
			[]string{"no leaked interface", "unknown\n", "It is not known how many nodes group/workers-1 may grow to"},
			nil, exit.OK,
		},
		"custom networking": {
			[]string{"--from", inputs + "n401-eniconfig.yaml"},
			[]string{
				"ENICONFIGS", "us-east-1a   subnet-0p   us-east-1a   0      2", "subnet-0p   us-east-1a   11     0      0      0       0        unknown",
				"Have eniconfig/us-east-1a name subnet/subnet-0b", "1 other remedy", "kubectl patch eniconfig us-east-1a --type merge", "counts nor forecasts their addresses",
			},
			[]string{"create-tags", "NODES WITHOUT ADDRESSES"},
			exit.OK,
		},
		"custom networking without the ENIConfig": {
			[]string{"--from", inputs + "n401-no-eniconfig.yaml"}, []string{"us-east-1a   does not exist"}, []string{"N401"}, exit.OK,
		},
		"ranges of nodes": {
			[]string{"--from", "testdata/gke.yaml", "--fail-on", "warning"},
			[]string{"1 node has a range of addresses for its pods", "a       1       /24     256         110        0", "IP_SPACE_EXHAUSTED", "How many ranges are left"},
			[]string{"subnet"},
			exit.OK,
		},
		"a cluster elsewhere": {[]string{"--from", inputs + "n102-cordoned.yaml"}, nil, []string{"subnet"}, exit.NoAnswer},
		"a wrong severity":    {[]string{"--from", inputs + "n401-story4.yaml", "--fail-on", "bad"}, nil, []string{"subnet"}, exit.NoAnswer},
		"an argument":         {[]string{"subnet-0a"}, nil, []string{"subnet"}, exit.NoAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(t, tc.args...)
			if exit.Code(err) != tc.code {
				t.Errorf("exit code %d, want %d: %v", exit.Code(err), tc.code, err)
			}
			for _, words := range tc.has {
				if !strings.Contains(out, words) {
					t.Errorf("it does not say %q:\n%s", words, out)
				}
			}
			for _, words := range tc.lack {
				if strings.Contains(out, words) {
					t.Errorf("it says %q:\n%s", words, out)
				}
			}
		})
	}
}

func TestData(t *testing.T) {
	out, err := run(t, "--from", inputs+"n402-grows.yaml", "-o", "json")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Cluster string
		Subnets []struct {
			ID            string
			FreeAtMaximum *int
		}
		Groups   []struct{ Max *int }
		Findings []struct{ Code string }
		Leaked   []struct{}
		Unknown  []struct{}
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatal(err)
	}
	if got.Cluster != "shop" || len(got.Subnets) != 1 || got.Subnets[0].FreeAtMaximum == nil || *got.Subnets[0].FreeAtMaximum != -77 ||
		len(got.Groups) != 1 || *got.Groups[0].Max != 6 || len(got.Findings) != 1 || got.Findings[0].Code != "N402" || got.Leaked == nil || got.Unknown == nil {
		t.Errorf("%s", out)
	}
}

// TestNoCloudIsAsked: without nodes on EC2 there is one clear error, and no cloud is asked.
func TestNoCloudIsAsked(t *testing.T) {
	host := (&clustertest.API{Objects: clustertest.Load(t, "../../cluster/testdata/small.yaml")}).Serve(t)
	for _, name := range []string{"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_PROFILE", "AWS_REGION"} {
		t.Setenv(name, "")
	}
	t.Setenv("AWS_EC2_METADATA_SERVICE_ENDPOINT", host)
	var out bytes.Buffer
	flags := connect.Flags()
	*flags.APIServer = host
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	cmd := NewCommand(flags, genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &bytes.Buffer{}})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(nil)
	err := cmd.ExecuteContext(t.Context())
	if said := exit.Line(message.English(), err); exit.Code(err) != exit.NoAnswer || !strings.HasPrefix(said, "AWS: there is nothing about subnets") || !strings.Contains(said, "ec2:DescribeSubnets") {
		t.Errorf("exit code %d: %s", exit.Code(err), said)
	}
}

// TestHistory charts the free addresses of snapshots, a folder of them or single ones, in any order, and says when they would run out.
func TestHistory(t *testing.T) {
	data, err := os.ReadFile(inputs + "n402-grows.yaml")
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	write := func(hour, free int) string {
		path := filepath.Join(folder, fmt.Sprintf("%d.yaml", 20-hour)) // In the reverse order.
		text := strings.NewReplacer("T15:", fmt.Sprintf("T%d:", hour), "T14:", fmt.Sprintf("T%d:", hour-1), `"availableIpAddressCount": 3`, fmt.Sprintf(`"availableIpAddressCount": %d`, free))
		if err := os.WriteFile(path, []byte(text.Replace(string(data))), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	earlier := write(13, 21)
	for name, tc := range map[string]struct {
		before func()
		args   []string
		has    string
		code   int
	}{
		"two points":         {func() {}, []string{"--history", earlier}, "subnet-0a   120m   21     ▇▂      3    in 20m at the rate of the last 120m", exit.OK},
		"a folder":           {func() { write(14, 12) }, []string{"--history", folder}, "subnet-0a   120m   21     ▇▅▂     3    in 20m at the rate of the last 120m", exit.OK},
		"no earlier point":   {func() {}, []string{"--history", t.TempDir()}, "subnet-0a   0s     3      ▂       3    unknown", exit.OK},
		"nothing there":      {func() {}, []string{"--history", filepath.Join(folder, "none")}, "", exit.NoAnswer},
		"without a network":  {func() {}, []string{"--history", "testdata/gke.yaml"}, "", exit.NoAnswer},
		"more than are read": {func() {}, slices.Repeat([]string{"--history", earlier}, 1001), "", exit.NoAnswer},
	} {
		tc.before()
		out, err := run(t, append([]string{"--from", inputs + "n402-grows.yaml"}, tc.args...)...)
		if exit.Code(err) != tc.code || !strings.Contains(out, tc.has) {
			t.Errorf("%s: exit code %d without %q:\n%s", name, exit.Code(err), tc.has, out)
		}
		if tc.code == exit.NoAnswer && !strings.HasPrefix(exit.Line(message.English(), err), "--history: ") {
			t.Errorf("%s: %s", name, exit.Line(message.English(), err))
		}
	}
}
