package hardware

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

func TestKinds(t *testing.T) {
	const nvidia, amazon, other = 0x10de, 0x1d0f, 0x8086
	both := []reason.Hardware{reason.Neuron, reason.NVIDIA}
	for name, tc := range map[string]struct {
		devices []Device
		shows   map[reason.Hardware]bool
		want    []reason.Hardware
	}{
		"nothing":                       {},
		"a data center's GPU":           {[]Device{{Vendor: nvidia, Device: 0x20b0, Class: 0x030200}}, nil, []reason.Hardware{reason.NVIDIA}},
		"a GPU with a display":          {[]Device{{Vendor: nvidia, Device: 0x2204, Class: 0x030000}}, nil, []reason.Hardware{reason.NVIDIA}},
		"an NVSwitch":                   {[]Device{{Vendor: nvidia, Device: 0x1af1, Class: 0x068000}}, nil, []reason.Hardware{reason.NVIDIA}},
		"a GPU's sound alone":           {[]Device{{Vendor: nvidia, Device: 0x1aef, Class: 0x040300}}, nil, nil},
		"NVIDIA's bridge of a chipset":  {[]Device{{Vendor: nvidia, Device: 0x0752, Class: 0x060100}}, nil, nil},
		"a server's own display":        {[]Device{{Vendor: 0x1a03, Device: 0x2000, Class: 0x030000}}, nil, nil},
		"another vendor's GPU":          {[]Device{{Vendor: 0x1002, Device: 0x74a1, Class: 0x038000}}, nil, nil},
		"Trainium":                      {[]Device{{Vendor: amazon, Device: 0x7164, Class: 0x088000}}, nil, []reason.Hardware{reason.Neuron}},
		"Inferentia":                    {[]Device{{Vendor: amazon, Device: 0x7064, Class: 0x088000}}, nil, []reason.Hardware{reason.Neuron}},
		"Amazon's network and disk":     {[]Device{{Vendor: amazon, Device: 0xec20, Class: 0x020000}, {Vendor: amazon, Device: 0x8061, Class: 0x010802}}, nil, nil},
		"Amazon's display":              {[]Device{{Vendor: amazon, Device: 0x1111, Class: 0x030000}}, nil, nil},
		"such an ID of another's":       {[]Device{{Vendor: other, Device: 0x7164, Class: 0x088000}}, nil, nil},
		"a later one, by its driver":    {[]Device{{Vendor: amazon, Device: 0x9999, Class: 0x088000}}, map[reason.Hardware]bool{reason.Neuron: true}, []reason.Hardware{reason.Neuron}},
		"gone from the bus, shown yet":  {nil, map[reason.Hardware]bool{reason.NVIDIA: true}, []reason.Hardware{reason.NVIDIA}},
		"both, whichever comes first":   {[]Device{{Vendor: nvidia, Class: 0x030200}, {Vendor: amazon, Device: 0x7364}}, nil, both},
		"the driver says that it shows": {nil, map[reason.Hardware]bool{reason.NVIDIA: false}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, Kinds(tc.devices, tc.shows), cmpopts.EquateEmpty()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestFind(t *testing.T) {
	const gpu = "/sys/bus/pci/devices/0000:3b:00.0/"
	for name, tc := range map[string]struct {
		files map[string]string
		want  []reason.Hardware
		fails bool
	}{
		"no PCI bus":               {nil, nil, false},
		"a GPU":                    {map[string]string{gpu + "vendor": "0x10de\n", gpu + "device": "0x20b0\n", gpu + "class": "0x030200\n"}, []reason.Hardware{reason.NVIDIA}, false},
		"one that goes meanwhile":  {map[string]string{gpu + "device": "0x20b0\n"}, nil, false},
		"one that cannot be read":  {map[string]string{gpu + "vendor": "NVIDIA\n", gpu + "device": "0x20b0\n", gpu + "class": "0x030200\n"}, nil, true},
		"a device node":            {map[string]string{"/dev/nvidia0": ""}, []reason.Hardware{reason.NVIDIA}, false},
		"a node that every one is": {map[string]string{"/dev/nvidiactl": "", "/dev/nvidia-uvm": "", "/dev/neuron": ""}, nil, false},
		"the driver's own list":    {map[string]string{"/proc/driver/nvidia/gpus/0000:3b:00.0/information": ""}, []reason.Hardware{reason.NVIDIA}, false},
		"Neuron's list":            {map[string]string{NeuronDevices + "/neuron0/core_count": "2"}, []reason.Hardware{reason.Neuron}, false},
	} {
		t.Run(name, func(t *testing.T) {
			h := host.Host{Root: t.TempDir()}
			for path, text := range tc.files {
				if err := os.MkdirAll(filepath.Dir(h.Path(path)), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(h.Path(path), []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := Find(h)
			if diff := cmp.Diff(tc.want, got, cmpopts.EquateEmpty()); diff != "" || (err != nil) != tc.fails {
				t.Errorf("%v: %s", err, diff)
			}
		})
	}
}
