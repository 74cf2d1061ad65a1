package aws

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// TestSign is a request of AWS's own test suite for Signature Version 4, "get-vanilla".
func TestSign(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "http://example.amazonaws.com/", nil)
	r.Header.Set("X-Amz-Date", "20150830T123600Z")
	a := authorization{date: "20150830", region: "us-east-1", service: "service", headers: []string{"host", "x-amz-date"}}
	moment, err := time.Parse(amzDate, r.Header.Get("X-Amz-Date"))
	if err != nil {
		t.Fatal(err)
	}
	const want = "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"
	if got := sign("wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", a, moment, canonical(r, a.headers, nil)); got != want {
		t.Errorf("signature %s, want %s", got, want)
	}
}

// fixture is a server whose clock a test moves by hand, and which it calls without an SDK.
type fixture struct {
	*Server
	clock *clocktesting.FakeClock
}

const secret = "secret"

func newFixture(t *testing.T) fixture {
	t.Helper()
	c, err := cloud.New(cloud.Options{InstantStart: true, Spec: cloud.Spec{
		Groups: []cloud.GroupSpec{{Name: "workers", InstanceType: "m5.large", Desired: 3}},
	}})
	if err != nil {
		t.Fatalf("building the cloud: %v", err)
	}
	fake := clocktesting.NewFakeClock(time.Date(2026, 11, 2, 9, 0, 0, 0, time.UTC))
	return fixture{New(Options{Cloud: c, Keys: []Key{{ID: "key", Secret: secret}}, Clock: fake}), fake}
}

// request is a form, signed for EC2 at the clock's time.
func (b fixture) request(form string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://lab.example/", strings.NewReader(form))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	moment := b.clock.Now()
	r.Header.Set("X-Amz-Date", moment.Format(amzDate))
	a := authorization{date: moment.Format("20060102"), region: "us-east-1", service: "ec2", headers: []string{"content-type", "host", "x-amz-date"}}
	r.Header.Set("Authorization", fmt.Sprintf("%s Credential=key/%s, SignedHeaders=%s, Signature=%s", algorithm,
		a.scope(), strings.Join(a.headers, ";"), sign(secret, a, moment, canonical(r, a.headers, []byte(form)))))
	return r
}

// code answers a request and is the error's code.
func (b fixture) code(r *http.Request) string {
	b.ServeHTTP(httptest.NewRecorder(), r)
	calls := b.Calls()
	return calls[len(calls)-1].Code
}

func TestAuthentication(t *testing.T) {
	tests := []struct {
		name   string
		tamper func(fixture, *http.Request)
		want   string
	}{
		{"as signed", func(fixture, *http.Request) {}, ""},
		{"unsigned", func(_ fixture, r *http.Request) { r.Header.Del("Authorization") }, "MissingAuthenticationToken"},
		{"another scheme", func(_ fixture, r *http.Request) { r.Header.Set("Authorization", "Bearer token") }, "IncompleteSignature"},
		{"no scope", func(_ fixture, r *http.Request) {
			r.Header.Set("Authorization", algorithm+" Credential=key, SignedHeaders=host;x-amz-date, Signature=00")
		}, "IncompleteSignature"},
		{"the date left unsigned", func(_ fixture, r *http.Request) {
			r.Header.Set("Authorization", strings.Replace(r.Header.Get("Authorization"), ";x-amz-date", "", 1))
		}, "IncompleteSignature"},
		{"a signed header changed", func(_ fixture, r *http.Request) { r.Header.Set("Content-Type", "text/plain") }, "SignatureDoesNotMatch"},
		{"another host", func(_ fixture, r *http.Request) { r.Host = "elsewhere.example" }, "SignatureDoesNotMatch"},
		{"another path", func(_ fixture, r *http.Request) { r.URL.Path = "/elsewhere" }, "SignatureDoesNotMatch"},
		{"another query", func(_ fixture, r *http.Request) { r.URL.RawQuery = "Action=RebootInstances" }, "SignatureDoesNotMatch"},
		{"another body", func(b fixture, r *http.Request) { r.Body = b.request("Action=RebootInstances").Body }, "SignatureDoesNotMatch"},
		{"a quarter of an hour old", func(b fixture, _ *http.Request) { b.clock.Step(validity) }, ""},
		{"older", func(b fixture, _ *http.Request) { b.clock.Step(validity + time.Second) }, "RequestExpired"},
		{"from the future", func(b fixture, _ *http.Request) { b.clock.Step(-validity - time.Second) }, "RequestExpired"},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			b := newFixture(t)
			r := b.request("Action=DescribeInstances")
			tc.tamper(b, r)
			if got := b.code(r); got != tc.want {
				t.Errorf("code %q, want %q", got, tc.want)
			}
		})
	}
}

// TestRateLimits empties each bucket, and finds what a second puts back.
func TestRateLimits(t *testing.T) {
	region := newFixture(t).Cloud
	instance, eni, subnet := region.Instances()[0].ID, region.NetworkInterfaces()[0].ID, region.Subnets()[0].ID
	tests := []struct {
		form         string
		size, refill int
	}{
		{"Action=DescribeInstances&MaxResults=5", 100, 20},
		{"Action=DescribeInstances&InstanceId.1=" + instance, 100, 20},
		{"Action=DescribeInstances", 50, 10},
		{"Action=DescribeInstanceStatus", 50, 10},
		{"Action=RebootInstances&InstanceId.1=" + instance, 50, 5},
		{"Action=DescribeNetworkInterfaces", 50, 10},
		{"Action=DescribeNetworkInterfaces&NetworkInterfaceId.1=" + eni, 100, 20},
		{"Action=DescribeSubnets&SubnetId.1=" + subnet, 100, 20},
		{"Action=CreateNetworkInterface&SubnetId=" + subnet, 100, 5},
		{"Action=CreateTags&Tag.1.Key=a&ResourceId.1=" + eni, 100, 10},
	}
	for _, tc := range tests {
		t.Run(tc.form, func(t *testing.T) {
			b := newFixture(t)
			answered := func() (n int) {
				for ; n <= tc.size; n++ {
					if code := b.code(b.request(tc.form)); code == "RequestLimitExceeded" {
						return n
					} else if code != "" {
						t.Fatalf("call %d: %s", n+1, code)
					}
				}
				return n
			}
			if n := answered(); n != tc.size {
				t.Errorf("%d calls were answered at once, want %d", n, tc.size)
			}
			b.clock.Step(time.Second)
			if n := answered(); n != tc.refill {
				t.Errorf("%d calls were answered a second later, want %d", n, tc.refill)
			}
		})
	}
}

// TestLimitsOfTheAccount: what a part of the lab calls counts with what comes over the wire.
func TestLimitsOfTheAccount(t *testing.T) {
	b := newFixture(t)
	for n := range 100 {
		if err := b.Admit("DeleteNetworkInterface"); err != nil {
			t.Fatalf("call %d: %v", n+1, err)
		}
	}
	form := "Action=DeleteNetworkInterface&NetworkInterfaceId=" + b.Cloud.NetworkInterfaces()[0].ID
	if got := b.code(b.request(form)); got != CodeRequestLimitExceeded {
		t.Errorf("a call after the lab's hundred: code %q", got)
	}
	if err := b.Admit("DeleteNetworkInterface"); !cloud.HasCode(err, CodeRequestLimitExceeded) {
		t.Errorf("another of the lab's: %v", err)
	}
}

func TestMalformed(t *testing.T) {
	for form, want := range map[string]string{
		"Action=RunInstances":                   "InvalidAction",
		"%":                                     "InvalidAction",
		"Action=RebootInstances":                "MissingParameter",
		"Action=RebootInstances&DryRun=perhaps": "InvalidParameterValue",
		"Action=DescribeInstances&MaxResults=many":        "InvalidParameterValue",
		"Action=DescribeInstances&Filter.1.Name=a&Filter": "InvalidParameterValue",
	} {
		b := newFixture(t)
		if got := b.code(b.request(form)); got != want {
			t.Errorf("%s: code %q, want %q", form, got, want)
		}
	}
}

// TestPageWhileItemsAreDeleted reads by pages while what was read is taken away: nothing is left out, nothing comes twice.
func TestPageWhileItemsAreDeleted(t *testing.T) {
	name := func(s string) string { return s }
	first, token := take(page{size: 2}, []string{"d", "b", "a", "c", "e"}, name)
	wanted, err := parameters{"NextToken": {token}}.readPage("MaxResults", 5, 1000, 2)
	if err != nil {
		t.Fatal(err)
	}
	next, token := take(wanted, []string{"e", "d", "c"}, name)
	last, err := parameters{"NextToken": {token}}.readPage("MaxResults", 5, 1000, 2)
	if err != nil {
		t.Fatal(err)
	}
	rest, token := take(last, []string{"e"}, name)
	if got := fmt.Sprint(first, next, rest, token); got != "[a b] [c d] [e]" {
		t.Errorf("pages: %s", got)
	}
}

// FuzzServe looks for a request, well signed, that brings the server down.
func FuzzServe(f *testing.F) {
	for _, form := range []string{
		"Action=DescribeInstances&Filter.1.Name=instance-id&Filter.1.Value.1=i-*", "Action=DescribeInstanceStatus&NextToken=aS0",
		"Action=RebootInstances&InstanceId.1=i-0123456789abcdef0&DryRun=true", "Action=DescribeInstances&MaxResults=5",
		"Action=DescribeNetworkInterfaces&Filter.1.Name=tag:a&Filter.1.Value.1=b&MaxResults=5", "Action=DescribeSubnets&SubnetId.1=subnet-01234567",
		"Action=CreateNetworkInterface&SubnetId=subnet-01234567&SecondaryPrivateIpAddressCount=9&TagSpecification.1.Tag.1.Key=a",
		"Action=AttachNetworkInterface&NetworkInterfaceId=eni-01234567&InstanceId=i-01234567&DeviceIndex=1", "Action=DescribeInstanceTypes",
		"Action=GetSubnetCidrReservations&SubnetId=subnet-01234567&Filter.1.Name=reservationType&Filter.1.Value.1=prefix",
	} {
		f.Add(form)
	}
	f.Fuzz(func(t *testing.T, form string) {
		b := newFixture(t)
		answer := httptest.NewRecorder()
		b.ServeHTTP(answer, b.request(form))
		if answer.Code == http.StatusInternalServerError {
			t.Errorf("%s: %s", form, answer.Body)
		}
	})
}
