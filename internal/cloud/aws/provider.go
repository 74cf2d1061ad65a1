package aws

import (
	"cmp"
	"context"
	"errors"
	"regexp"
	"strings"
	"sync"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/credentials/ec2rolecreds"
	"github.com/aws/aws-sdk-go-v2/feature/ec2/imds"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/smithy-go/logging"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// name is that of the provider.
const name = "aws"

// credentialTimeout bounds finding credentials and the region. Where there are none, the SDK tries the instance metadata service last, which does
// not answer outside of EC2.
const credentialTimeout = time.Second

// Options are what cannot be read from the environment.
type Options struct {
	// Cluster is the EKS cluster's name; if empty, it is read from labels of nodes and tags of instances.
	Cluster string
}

// Provider is AWS. It is safe for concurrent use.
type Provider struct {
	region  string
	cluster string
	ec2     *ec2.Client
	scaling *autoscaling.Client
	eks     *eks.Client
	// groups caches node groups that were read from tags, by the name of the label; they never change.
	groups sync.Map
}

var _ interface {
	cloud.Provider
	cloud.Power
	cloud.Replacer
	cloud.Permitter
	cloud.Repairers
} = (*Provider)(nil)

// New finds region and credentials as AWS's SDK does, within a second, or says what is missing.
// https://docs.aws.amazon.com/sdkref/latest/guide/standardized-credentials.html
func New(ctx context.Context, o Options) (*Provider, *cloud.Gap) {
	ctx, cancel := context.WithTimeout(ctx, credentialTimeout)
	defer cancel()
	found, err := config.LoadDefaultConfig(ctx, config.WithLogger(logging.Nop{})) // which would write among a command's output
	if err != nil {
		return nil, missing(sentence.CloudNoCredentials(messageOf(err)))
	}
	if err := credentialsOf(ctx, found); err != nil {
		return nil, missing(sentence.CloudNoCredentials(messageOf(err)))
	}
	if found.Region = cmp.Or(found.Region, instanceRegion(ctx, found)); found.Region == "" {
		return nil, missing(sentence.CloudNoRegion())
	}
	found.Credentials = signingCredentials{found.Credentials}
	return &Provider{
		region: found.Region, cluster: o.Cluster,
		ec2: ec2.NewFromConfig(found), scaling: autoscaling.NewFromConfig(found), eks: eks.NewFromConfig(found),
	}, nil
}

func missing(why message.Sentence) *cloud.Gap { return &cloud.Gap{Provider: name, Why: why} }

// credentialsOf returns an error if no credentials are configured. Configured ones that take long to retrieve, such as those of a role, are no
// error: the calls wait for them.
func credentialsOf(ctx context.Context, found sdk.Config) error {
	if found.Credentials == nil {
		return errors.New("none are configured")
	}
	_, err := found.Credentials.Retrieve(ctx)
	if err != nil && ctx.Err() != nil && !sdk.IsCredentialsProvider(found.Credentials, (*ec2rolecreds.Provider)(nil)) {
		return nil
	}
	return err
}

// instanceRegion is that of the EC2 instance this runs on, empty elsewhere.
func instanceRegion(ctx context.Context, found sdk.Config) string {
	told, err := imds.NewFromConfig(found).GetRegion(ctx, nil)
	if err != nil {
		return ""
	}
	return told.Region
}

// Name is aws.
func (p *Provider) Name() string { return name }

// Owns says whether a machine is an EC2 instance of the region.
func (p *Provider) Owns(m cloud.Machine) bool {
	zone, _ := parse(m)
	return zone != "" && strings.HasPrefix(zone, p.region)
}

var providerID = regexp.MustCompile(`^aws:///([a-z0-9-]+)/(i-(?:[0-9a-f]{8}|[0-9a-f]{17}))$`)

// parse reads zone and instance from a provider ID of AWS's cloud controller manager; both are empty for any other.
// https://github.com/kubernetes/cloud-provider-aws/blob/master/pkg/providers/v1/instances.go
func parse(m cloud.Machine) (zone, instance string) {
	found := providerID.FindStringSubmatch(m.ProviderID)
	if found == nil {
		return "", ""
	}
	return found[1], found[2]
}

func instanceOf(m cloud.Machine) string {
	_, instance := parse(m)
	return instance
}
