package csi

import (
	"strings"
	"testing"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// region is a cloud with one booted instance in each of two zones.
func region(t *testing.T) (c *cloud.Cloud, inA, inB cloud.Instance) {
	t.Helper()
	c, err := cloud.New(cloud.Options{InstantStart: true, Spec: cloud.Spec{
		InstanceTypes: []cloud.InstanceType{{Name: "tiny", CPU: "2", Memory: "4Gi", Volumes: 1}},
		Groups: []cloud.GroupSpec{{
			Name: "workers", InstanceType: "tiny", Desired: 2, Zones: []string{"us-east-1a", "us-east-1b"},
			ZoneOrder: []string{"us-east-1a", "us-east-1b"},
		}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	return c, c.Instances()[0], c.Instances()[1]
}

func TestEBS(t *testing.T) {
	tests := map[string]struct {
		do   func(d *ebs, volume, inA, inB string) error
		code codes.Code
		says string
	}{
		"publish":             {do: func(d *ebs, v, a, _ string) error { return d.publish(v, a) }},
		"publish twice":       {do: func(d *ebs, v, a, _ string) error { return anyOf(d.publish(v, a), d.publish(v, a)) }},
		"publish elsewhere":   {do: func(d *ebs, v, _, b string) error { return d.publish(v, b) }, code: codes.Internal, says: "InvalidVolume.ZoneMismatch: The volume 'vol-0"},
		"publish nothing":     {do: func(d *ebs, _, a, _ string) error { return d.publish("vol-0", a) }, code: codes.NotFound, says: `Volume "vol-0" not found`},
		"publish to nobody":   {do: func(d *ebs, v, _, _ string) error { return d.publish(v, "i-0") }, code: codes.NotFound},
		"unpublish":           {do: func(d *ebs, v, a, _ string) error { return anyOf(d.publish(v, a), d.unpublish(v, a)) }},
		"unpublish the free":  {do: func(d *ebs, v, a, _ string) error { return d.unpublish(v, a) }},
		"unpublish elsewhere": {do: func(d *ebs, v, a, b string) error { return anyOf(d.publish(v, a), d.unpublish(v, b)) }},
		"unpublish nothing":   {do: func(d *ebs, _, a, _ string) error { return d.unpublish("vol-0", a) }},
		"publish one too many": {
			do: func(d *ebs, v, a, _ string) error {
				other, _, err := d.create(volumeRequest{name: "other", bytes: 1, zone: "us-east-1a"})
				return anyOf(err, d.publish(other, a), d.publish(v, a))
			},
			code: codes.ResourceExhausted, says: "Attachment limit exceeded for volume",
		},
		"unpublish in a lost zone": {
			do: func(d *ebs, v, a, _ string) error {
				return anyOf(d.publish(v, a), d.cloud.LoseZone("us-east-1a"), d.unpublish(v, a))
			},
			code: codes.Internal, says: "Could not detach volume",
		},
		"create in a lost zone": {
			do: func(d *ebs, _, _, _ string) error {
				if err := d.cloud.LoseZone("us-east-1c"); err != nil {
					return err
				}
				_, _, err := d.create(volumeRequest{name: "new", bytes: 1, zone: "us-east-1c"})
				return err
			},
			code: codes.Internal, says: "Unavailable: The Availability Zone us-east-1c",
		},
		"delete":         {do: func(d *ebs, v, _, _ string) error { return d.delete(v) }},
		"delete nothing": {do: func(d *ebs, _, _, _ string) error { return d.delete("vol-0") }},
		"delete the attached": {
			do:   func(d *ebs, v, a, _ string) error { return anyOf(d.publish(v, a), d.delete(v)) },
			code: codes.Internal, says: "VolumeInUse: Volume vol-0",
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			c, inA, inB := region(t)
			d := &ebs{cloud: c}
			volume, bytes, err := d.create(volumeRequest{name: "pvc-1", bytes: 5, zone: "us-east-1a"})
			if err != nil || bytes != 1<<30 {
				t.Fatalf("create gave %d bytes, %v", bytes, err)
			}
			if again, _, _ := d.create(volumeRequest{name: "pvc-1", bytes: 5, zone: "us-east-1a"}); again != volume {
				t.Errorf("asked again, create gave %s beside %s", again, volume)
			}
			got := test.do(d, volume, inA.ID, inB.ID)
			if status.Code(got) != test.code || (got != nil && !strings.Contains(got.Error(), test.says)) {
				t.Errorf("got %v, want code %s: …%s…", got, test.code, test.says)
			}
		})
	}
}

func TestEFS(t *testing.T) {
	handle, _, err := efs{}.create(volumeRequest{name: "pvc-1", parameters: map[string]string{"fileSystemId": "fs-1"}})
	if err != nil || !strings.HasPrefix(handle, "fs-1::fsap-0") {
		t.Errorf("create gave %q, %v", handle, err)
	}
	if _, _, err := (efs{}).create(volumeRequest{name: "pvc-1"}); status.Code(err) != codes.InvalidArgument {
		t.Errorf("without a file system create gave %v", err)
	}
}

// anyOf is the first error.
func anyOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
