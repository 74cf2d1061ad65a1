// Package controller is the verb that runs naosu's controller, inside of the cluster or outside.
package controller

import (
	"context"
	"crypto/tls"
	"errors"
	"log/slog"
	"net"
	"net/url"
	"path/filepath"
	"strconv"

	"github.com/go-logr/logr"
	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/rest"
	"k8s.io/klog/v2"

	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/controller"
	"github.com/naosu-dev/naosu/internal/headroom"
	"github.com/naosu-dev/naosu/internal/headroompolicy"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/record"
)

// Options are what the verb is asked.
type Options struct {
	genericiooptions.IOStreams
	Config genericclioptions.RESTClientGetter
	// Namespace is where the lease and the ledger are.
	Namespace      string
	LeaderElect    bool
	HealthAddress  string
	MetricsAddress string
	// HeartbeatAddress is controller.Options'.
	HeartbeatAddress string
	// MetricsSecure and MetricsCertPath are controller.Options'.
	MetricsSecure   bool
	MetricsCertPath string
	EKSCluster      string
	// PlaceholderImage is controller.Options'.
	PlaceholderImage string
	// NodePrices is a file with the prices of nodes.
	NodePrices string
	prices     headroom.Prices
}

// NewCommand is `naosu controller`.
func NewCommand(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{IOStreams: streams, Config: config}
	cmd := &cobra.Command{
		Use:                   "controller",
		Example:               "  naosu crds | kubectl apply --server-side -f -\n  naosu controller --namespace naosu-system",
		DisableFlagsInUseLine: true,
		Args:                  exit.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Complete(cmd)
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context())
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&o.LeaderElect, "leader-elect", true, "")
	flags.StringVar(&o.HealthAddress, "health-address", ":8081", "")
	flags.StringVar(&o.MetricsAddress, "metrics-address", ":8080", "")
	flags.BoolVar(&o.MetricsSecure, "metrics-secure", true, "")
	flags.StringVar(&o.MetricsCertPath, "metrics-cert-path", "", "")
	flags.StringVar(&o.HeartbeatAddress, "heartbeat-address", "0", "")
	flags.StringVar(&o.EKSCluster, "eks-cluster", "", "")
	flags.StringVar(&o.PlaceholderImage, "placeholder-image", headroompolicy.DefaultImage, "")
	flags.StringVar(&o.NodePrices, "node-prices", "", "")
	return cmd
}

// Complete takes the namespace only if it was typed: the kubeconfig's says where people work, not where naosu is.
func (o *Options) Complete(cmd *cobra.Command) {
	o.Namespace = record.DefaultNamespace
	if flag := cmd.Flag("namespace"); flag != nil && flag.Changed {
		o.Namespace = flag.Value.String()
	}
}

// Validate says what is wrong with the flags, before anything is asked.
func (o *Options) Validate() error {
	if len(validation.IsDNS1123Label(o.Namespace)) > 0 {
		return exit.BadInput("--namespace", sentence.ErrNamespaceName(strconv.Quote(o.Namespace)), sentence.ErrNamespaceNameRemedy())
	}
	for _, one := range []struct{ flag, address string }{
		{"--health-address", o.HealthAddress}, {"--metrics-address", o.MetricsAddress}, {"--heartbeat-address", o.HeartbeatAddress},
	} {
		if !listenable(one.address) {
			return exit.BadInput(one.flag, sentence.ErrAddress(strconv.Quote(one.address)), sentence.ErrAddressRemedy())
		}
	}
	var err error
	if o.prices, err = input.NodePrices(o.NodePrices); err != nil {
		return err
	}
	return o.certificate()
}

// certificate says what is wrong with the one that was given: controller-runtime would take another in its place.
func (o *Options) certificate() error {
	switch {
	case o.MetricsCertPath == "":
		return nil
	case !o.MetricsSecure:
		return exit.BadInput("--metrics-cert-path", sentence.ErrCertificateUnused(), sentence.ErrCertificateUnusedRemedy())
	}
	if _, err := tls.LoadX509KeyPair(filepath.Join(o.MetricsCertPath, "tls.crt"), filepath.Join(o.MetricsCertPath, "tls.key")); err != nil {
		return exit.BadInput("--metrics-cert-path", sentence.ErrCertificate(strconv.Quote(o.MetricsCertPath), err.Error()),
			sentence.ErrCertificateRemedy())
	}
	return nil
}

func listenable(address string) bool {
	if address == "0" {
		return true
	}
	_, port, err := net.SplitHostPort(address)
	if err != nil {
		return false
	}
	_, err = strconv.ParseUint(port, 10, 16)
	return err == nil
}

// Run runs the controller until it is told to stop.
func (o *Options) Run(ctx context.Context) error {
	config, err := connect.Config(o.Config)
	if err != nil {
		return err
	}
	log := logr.FromSlogHandler(slog.NewTextHandler(o.ErrOut, nil))
	klog.SetLogger(log)
	err = controller.Run(ctx, controller.Options{
		Config: config, Namespace: o.Namespace, LeaderElect: o.LeaderElect, HealthAddress: o.HealthAddress, MetricsAddress: o.MetricsAddress,
		HeartbeatAddress: o.HeartbeatAddress, MetricsSecure: o.MetricsSecure, MetricsCertPath: o.MetricsCertPath, EKSCluster: o.EKSCluster, PlaceholderImage: o.PlaceholderImage, NodePrices: o.prices, Log: log,
	})
	return said(config, err)
}

// said is an error in words that tell what can be done about it, as far as there are any.
func said(config *rest.Config, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, controller.ErrNoDefinitions):
		return exit.Failure(sentence.ErrNoDefinitions(config.Host))
	case errors.As(err, new(apierrors.APIStatus)), errors.As(err, new(*url.Error)):
		return exit.Talking(config.Host, err)
	default:
		return err
	}
}
