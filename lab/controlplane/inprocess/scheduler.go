package inprocess

import (
	"context"
	"fmt"
	"os"

	"k8s.io/component-base/configz"
	"k8s.io/kubernetes/cmd/kube-scheduler/app"
	"k8s.io/kubernetes/cmd/kube-scheduler/app/options"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/lab/atomicfile"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/pace"
)

// schedulerConfigz is the name under which the scheduler's command registers its configuration.
const schedulerConfigz = "componentconfig"

func (p *local) schedulerFlags() []string {
	return []string{
		"--config=" + p.folder.conf(controlplane.Scheduler) + ".yaml",
		"--leader-elect=false",
		"--secure-port=0",
	}
}

func (p *local) schedulerOptions() (*options.Options, error) {
	s := options.NewOptions()
	if err := parse(controlplane.Scheduler, *s.Flags, s.Logs, p.flags[controlplane.Scheduler]); err != nil {
		return nil, err
	}
	return s, p.connectSchedulerConfig(s)
}

// schedulerConfig is the plane's own configuration of the scheduler.
func schedulerConfig(p *pace.Pace, kubeconfig string) map[string]any {
	seconds := func(name string, standard int64) int64 { return p.Seconds("kube-scheduler "+name, standard) }
	return map[string]any{
		"apiVersion":               "kubescheduler.config.k8s.io/v1",
		"kind":                     "KubeSchedulerConfiguration",
		"clientConnection":         map[string]any{"kubeconfig": kubeconfig, "qps": clientQPS, "burst": clientBurst},
		"podInitialBackoffSeconds": seconds("podInitialBackoffSeconds", 1),
		"podMaxBackoffSeconds":     seconds("podMaxBackoffSeconds", 10),
		"profiles": []any{map[string]any{
			"schedulerName": "default-scheduler",
			"pluginConfig": []any{map[string]any{
				"name": "VolumeBinding",
				"args": map[string]any{"bindTimeoutSeconds": seconds("VolumeBinding bindTimeoutSeconds", 600)},
			}},
		}},
	}
}

func (p *local) writeSchedulerConfig() error {
	content, err := yaml.Marshal(schedulerConfig(p.options.Pace, p.folder.conf(controlplane.Scheduler)))
	if err != nil {
		return fmt.Errorf("encode scheduler configuration: %w", err)
	}
	return atomicfile.Write(p.folder.conf(controlplane.Scheduler)+".yaml", content, 0o600)
}

// connectSchedulerConfig gives a caller's configuration file, which replaces the plane's, the one thing that its writer
// cannot know: how to reach the API server.
func (p *local) connectSchedulerConfig(s *options.Options) error {
	content, err := os.ReadFile(s.ConfigFile)
	if err != nil {
		return fmt.Errorf("--config: %w", err)
	}
	var config map[string]any
	if err := yaml.UnmarshalStrict(content, &config); err != nil {
		return fmt.Errorf("--config %s: %w", s.ConfigFile, err)
	}
	if config == nil {
		return fmt.Errorf("--config %s: empty", s.ConfigFile)
	}
	connection, _ := config["clientConnection"].(map[string]any)
	if connection == nil {
		connection = map[string]any{"qps": clientQPS, "burst": clientBurst}
	}
	if connection["kubeconfig"] == nil {
		connection["kubeconfig"] = p.folder.conf(controlplane.Scheduler)
	}
	config["clientConnection"] = connection
	if content, err = yaml.Marshal(config); err != nil {
		return fmt.Errorf("--config %s: %w", s.ConfigFile, err)
	}
	s.ConfigFile = p.folder.conf(controlplane.Scheduler) + "-merged.yaml"
	return atomicfile.Write(s.ConfigFile, content, 0o600)
}

func (p *local) runScheduler(ctx context.Context, ready func()) error {
	s, err := p.schedulerOptions()
	if err != nil {
		return err
	}
	config, scheduler, err := app.Setup(ctx, s)
	if err != nil {
		return err
	}
	go func() {
		if scheduler.WaitForHandlersSync(ctx) == nil {
			ready()
		}
	}()
	defer configz.Delete(schedulerConfigz) // registered by Run, which a second Run would find
	err = app.Run(ctx, config, scheduler)
	if ctx.Err() != nil {
		return nil // Run always returns an error
	}
	return err
}
