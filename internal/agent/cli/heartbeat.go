package cli

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"

	"github.com/spf13/pflag"

	"github.com/naosu-dev/naosu/internal/agent/heartbeat"
)

// heartbeatOptions are the flags of the heartbeat streams.
type heartbeatOptions struct {
	addresses []string
	tokenFile string
	caFile    string
}

func (o *heartbeatOptions) addFlags(flags *pflag.FlagSet) {
	flags.StringSliceVar(&o.addresses, "heartbeat-address", nil, "HOST:PORT of the controller, such as naosu-controller-heartbeat.naosu-system.svc:9443; the agent sends heartbeats to each address of the host. Can be repeated; by default, the agent sends no heartbeats")
	flags.StringVar(&o.tokenFile, "heartbeat-token-file", "", "file with a token of the agent's service account for the audience naosu-heartbeat")
	flags.StringVar(&o.caFile, "heartbeat-ca-file", "", "file with the CA certificates (PEM) that the controller's certificate for heartbeats is verified with")
}

// validate returns an inputError if a flag is missing or invalid. The files may appear later.
func (o *heartbeatOptions) validate() error {
	for _, address := range o.addresses {
		host, port, err := net.SplitHostPort(address)
		if err == nil && host == "" {
			err = errors.New("the host is missing")
		}
		if err == nil {
			if number, bad := strconv.ParseUint(port, 10, 16); bad != nil || number == 0 {
				err = fmt.Errorf("the port %q is not a number from 1 to 65535", port)
			}
		}
		if err != nil {
			return inputError{fmt.Errorf("--heartbeat-address %s: %w", address, err)}
		}
	}
	switch {
	case len(o.addresses) == 0:
		return nil
	case o.tokenFile == "":
		return inputError{errors.New("--heartbeat-token-file is missing: --heartbeat-address needs it")}
	case o.caFile == "":
		return inputError{errors.New("--heartbeat-ca-file is missing: --heartbeat-address needs it")}
	}
	return nil
}

// client returns the client of the streams. Without addresses, it has none.
func (o *heartbeatOptions) client(bootID string, log *slog.Logger) *heartbeat.Client {
	return heartbeat.New(heartbeat.Options{Addresses: o.addresses, TokenFile: o.tokenFile, CAFile: o.caFile, BootID: bootID, Log: log})
}
