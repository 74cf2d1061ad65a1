package aws

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	naosu "github.com/naosu-dev/naosu/internal/cloud"
	provider "github.com/naosu-dev/naosu/internal/cloud/aws"
	"github.com/naosu-dev/naosu/lab/cloud"
)

const (
	rebootCall    = "ec2:RebootInstances"
	terminateCall = "autoscaling:TerminateInstanceInAutoScalingGroup"
)

// class is what an error of a request to act on a machine means.
type class struct {
	busy, unsure, refused bool
	// lacks is the permission that a refusal names.
	lacks string
}

func classOf(err error) class {
	c := class{busy: errors.Is(err, naosu.ErrPassing), unsure: errors.Is(err, naosu.ErrUnsure)}
	if refusal, refused := errors.AsType[*naosu.RefusedError](err); refused {
		c.refused, c.lacks = true, refusal.Permission
	}
	return c
}

// TestProviderClasses has AWS answer with each code that matters, as it sends it: none of them may be taken for an attempt that
// did not help. What may be done another time is busy, and all else refused; only where AWS fails is it not known.
func TestProviderClasses(t *testing.T) {
	busy, unsure, refused := class{busy: true}, class{busy: true, unsure: true}, class{refused: true}
	lacks := func(call string) class { return class{refused: true, lacks: call} }
	for _, tc := range []struct {
		call, code string
		want       class
	}{
		{rebootCall, "UnauthorizedOperation", lacks(rebootCall)},
		{rebootCall, "AuthFailure", refused},
		{rebootCall, "OptInRequired", refused},
		{rebootCall, "UnsupportedOperation", refused},
		{rebootCall, "OperationNotPermitted", refused},
		{rebootCall, "InvalidInstanceID.NotFound", refused},
		{rebootCall, "IncorrectInstanceState", busy},
		{rebootCall, "RequestExpired", busy},
		{rebootCall, "ExpiredToken", busy},
		{rebootCall, "InternalError", unsure},
		{rebootCall, "Unavailable", unsure},
		{terminateCall, "AccessDenied", lacks(terminateCall)},
		{terminateCall, "InvalidClientTokenId", refused},
		{terminateCall, "SignatureDoesNotMatch", refused},
		{terminateCall, "ValidationError", refused},
		{terminateCall, "ScalingActivityInProgress", busy},
		{terminateCall, "ResourceContention", busy},
		{terminateCall, "ExpiredToken", busy},
		{terminateCall, "RequestExpired", busy},
	} {
		t.Run(tc.call+" "+tc.code, func(t *testing.T) {
			b := newFixture(t)
			struck := b.members("workers")[0]
			b.server.Script(tc.call, 9, fault(tc.code))
			p, act := b.provider(provider.Options{}), (*provider.Provider).Reboot
			if tc.call == terminateCall {
				act = (*provider.Provider).Replace
			}
			_, err := act(p, t.Context(), machine(struck))
			if got := classOf(err); got != tc.want {
				t.Errorf("%v: %+v, want %+v", err, got, tc.want)
			}
			if i, _ := b.cloud.Instance(struck.ID); i.Reboots != 0 || i.State != cloud.Running {
				t.Errorf("the instance is %s and was rebooted %d times", i.State, i.Reboots)
			}
		})
	}
}

// TestProviderUnread: where Auto Scaling does not take an instance and naosu may not find out why, that is a refusal too.
func TestProviderUnread(t *testing.T) {
	b := newFixture(t)
	struck := b.members("workers")[0]
	b.server.Script(terminateCall, 1, fault("ScalingActivityInProgress"))
	b.server.Script("autoscaling:DescribeAutoScalingInstances", 9, fault("AccessDenied"))
	_, err := b.provider(provider.Options{}).Replace(t.Context(), machine(struck))
	if got, want := classOf(err), (class{refused: true, lacks: "autoscaling:DescribeAutoScalingInstances"}); got != want {
		t.Errorf("%v: %+v, want %+v", err, got, want)
	}
}

// TestProviderUnsigned has the credentials of a role expire, and AWS give no others: a request that could not be signed was not
// sent, whatever the answer was.
func TestProviderUnsigned(t *testing.T) {
	for _, tc := range []struct {
		status int
		code   string
		want   class
	}{
		{http.StatusForbidden, "AccessDenied", class{refused: true}},
		{http.StatusBadRequest, "ExpiredTokenException", class{busy: true}},
		{http.StatusInternalServerError, "InternalFailure", class{busy: true}},
	} {
		t.Run(tc.code, func(t *testing.T) {
			b := newFixture(t)
			struck := b.members("workers")[0]
			refuse := b.assumesRole()
			p := b.provider(provider.Options{})
			refuse(tc.status, tc.code)
			_, err := p.Reboot(t.Context(), machine(struck))
			if got := classOf(err); got != tc.want {
				t.Errorf("%v: %+v, want %+v", err, got, tc.want)
			}
			if n := b.count(rebootCall); n != 0 {
				t.Errorf("%d calls", n)
			}
		})
	}
}

// assumesRole has the clients that are made from now on assume a role by a web identity, as pods do, whose credentials have expired
// when they are had; and has that refused once it is configured so.
func (b *fixture) assumesRole() (refuse func(status int, code string)) {
	b.t.Helper()
	var mu sync.Mutex
	status, answer := http.StatusOK, `<AssumeRoleWithWebIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><AssumeRoleWithWebIdentityResult>`+
		`<AssumedRoleUser><Arn>arn:aws:sts::111122223333:assumed-role/naosu/a</Arn><AssumedRoleId>AROA:a</AssumedRoleId></AssumedRoleUser>`+
		`<Credentials><AccessKeyId>`+operator+`</AccessKeyId><SecretAccessKey>`+secret+`</SecretAccessKey><SessionToken>t</SessionToken>`+
		`<Expiration>`+time.Now().Add(-time.Hour).UTC().Format(time.RFC3339)+`</Expiration></Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`
	sts := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		w.Header().Set("Content-Type", "text/xml")
		w.WriteHeader(status)
		_, _ = io.WriteString(w, answer)
	}))
	b.t.Cleanup(sts.Close)
	token := filepath.Join(b.t.TempDir(), "token")
	b.must(os.WriteFile(token, []byte("token"), 0o600))
	b.as("", "")
	for name, value := range map[string]string{
		"AWS_ENDPOINT_URL_STS": sts.URL, "AWS_WEB_IDENTITY_TOKEN_FILE": token, "AWS_ROLE_ARN": "arn:aws:iam::111122223333:role/naosu",
	} {
		b.t.Setenv(name, value)
	}
	return func(as int, code string) {
		mu.Lock()
		defer mu.Unlock()
		status = as
		answer = `<ErrorResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><Error><Type>Sender</Type><Code>` + code +
			`</Code><Message>as scripted</Message></Error><RequestId>r</RequestId></ErrorResponse>`
	}
}
