package aws

import (
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/message"
)

const protectedID = "i-0123456789abcdef0"

// scripted answers calls of AWS's query protocol, by their action, and notes them.
type scripted struct {
	answers map[string]string
	asked   []string
}

// actionOf is the action of a call of AWS's query protocol.
func actionOf(r *http.Request) (string, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return "", err
	}
	form, err := url.ParseQuery(string(body))
	return form.Get("Action"), err
}

func (s *scripted) Do(r *http.Request) (*http.Response, error) {
	action, err := actionOf(r)
	if err != nil {
		return nil, err
	}
	s.asked = append(s.asked, action)
	status, text := http.StatusOK, s.answers[action]
	if code, refused := strings.CutPrefix(text, "refuse "); refused {
		status, text = http.StatusBadRequest, `<ErrorResponse><Error><Type>Sender</Type><Code>`+code+`</Code><Message>as scripted</Message></Error></ErrorResponse>`
	}
	return &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"text/xml"}}, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
}

func (s *scripted) provider() *Provider {
	c := sdk.Config{Region: "us-east-1", RetryMaxAttempts: 1, HTTPClient: s, Credentials: sdk.CredentialsProviderFunc(func(context.Context) (sdk.Credentials, error) {
		return sdk.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
	})}
	return &Provider{region: c.Region, ec2: ec2.NewFromConfig(c), scaling: autoscaling.NewFromConfig(c)}
}

// details is an answer about one instance.
func details(state, protected string) string {
	return `<DescribeAutoScalingInstancesResponse><DescribeAutoScalingInstancesResult><AutoScalingInstances><member><InstanceId>` + protectedID +
		`</InstanceId><AutoScalingGroupName>workers</AutoScalingGroupName><LifecycleState>` + state + `</LifecycleState><ProtectedFromScaleIn>` + protected +
		`</ProtectedFromScaleIn></member></AutoScalingInstances></DescribeAutoScalingInstancesResult></DescribeAutoScalingInstancesResponse>`
}

const (
	inNoGroup  = `<DescribeAutoScalingInstancesResponse><DescribeAutoScalingInstancesResult><AutoScalingInstances/></DescribeAutoScalingInstancesResult></DescribeAutoScalingInstancesResponse>`
	terminates = `<TerminateInstanceInAutoScalingGroupResponse><TerminateInstanceInAutoScalingGroupResult><Activity><ActivityId>a-1</ActivityId></Activity></TerminateInstanceInAutoScalingGroupResult></TerminateInstanceInAutoScalingGroupResponse>`
)

// TestScaleInProtection never asks for the end of an instance that is protected, or may be.
func TestScaleInProtection(t *testing.T) {
	for name, tc := range map[string]struct {
		answer string
		asks   bool
		says   string
		is     error
	}{
		"not protected":           {details("InService", "false"), true, "", nil},
		"protected":               {details("InService", "true"), false, protectedID + " is protected from scale-in in the Auto Scaling group workers", nil},
		"protected, on standby":   {details("Standby", "true"), false, "is protected from scale-in", nil},
		"protected, and going":    {details("Terminating:Wait", "true"), true, "", nil},
		"in no group":             {inNoGroup, true, "", nil},
		"not permitted to look":   {"refuse AccessDenied", false, "DescribeAutoScalingInstances", nil},
		"too many requests":       {"refuse Throttling", false, "DescribeAutoScalingInstances", cloud.ErrPassing},
		"an answer of no meaning": {"<", false, "DescribeAutoScalingInstances", nil},
	} {
		t.Run(name, func(t *testing.T) {
			s := &scripted{answers: map[string]string{"DescribeAutoScalingInstances": tc.answer, "TerminateInstanceInAutoScalingGroup": terminates}}
			_, err := s.provider().Replace(t.Context(), cloud.Machine{Node: "n", ProviderID: "aws:///us-east-1a/" + protectedID})
			if asks := slices.Contains(s.asked, "TerminateInstanceInAutoScalingGroup"); asks != tc.asks || (err == nil) != tc.asks {
				t.Errorf("asked to end it: %t, error %v", asks, err)
			}
			switch {
			case err == nil:
			case !strings.Contains(err.Error(), tc.says), tc.is != nil && !errors.Is(err, tc.is), errors.Is(err, cloud.ErrUnsure), tc.is == nil && errors.Is(err, cloud.ErrPassing):
				t.Errorf("error %v, want %q and %v", err, tc.says, tc.is)
			}
		})
	}
}

func TestMayReplaceProtected(t *testing.T) {
	s := &scripted{answers: map[string]string{"DescribeAutoScalingInstances": details("InService", "true")}}
	got, err := s.provider().May(t.Context(), v1alpha1.ActionReplace, cloud.Machine{Node: "n", ProviderID: "aws:///us-east-1a/" + protectedID})
	if err != nil || got.May != v1alpha1.MayNo || got.Why.ID != message.CloudProtected {
		t.Errorf("%+v, %v", got, err)
	}
}
