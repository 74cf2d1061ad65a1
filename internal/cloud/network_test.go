package cloud_test

import (
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// TestUnreadReasons: why naosu has not asked a cloud is said in the reader's language, and what the cloud says as it is.
func TestUnreadReasons(t *testing.T) {
	for _, u := range []cloud.Unread{
		{Reason: cloud.NoCredentials, Detail: "EC2 IMDS role"},
		{Reason: cloud.NoCredentials},
		{Reason: cloud.NoRegion},
		{Reason: cloud.OtherRegion, Detail: "eu-west-1"},
		{Reason: cloud.NoVPC},
		{Reason: cloud.TooLarge, Detail: "2000"},
	} {
		u.Err = "in English"
		gap := sentence.AddressPartUnread(message.List{"Subnet"}, "", u.Why())
		english, japanese := message.English().Say(gap), message.Japanese().Say(gap)
		if strings.Contains(japanese, "in English") || !strings.Contains(japanese, u.Detail) || !strings.Contains(english, u.Detail) || strings.Contains(english, "..") || strings.HasSuffix(japanese, "。。") {
			t.Errorf("%s: %q, %q", u.Reason, english, japanese)
		}
		if _, is := u.Why().(message.Sentence); !is {
			t.Errorf("%s is no sentence", u.Reason)
		}
	}
	for _, u := range []cloud.Unread{{Err: "UnauthorizedOperation: no"}, {Reason: "of a later version", Err: "UnauthorizedOperation: no"}} {
		if got := message.Japanese().Say(sentence.AddressPartUnread(message.List{"Subnet"}, "ec2:DescribeSubnets", u.Why())); !strings.Contains(got, "UnauthorizedOperation: no") {
			t.Errorf("%q", got)
		}
	}
	if got := message.English().Say(sentence.AddressPartUnread(message.List{"Subnet"}, "", cloud.Unread{}.Why())); strings.Contains(got, ":") {
		t.Errorf("%q", got)
	}
}
