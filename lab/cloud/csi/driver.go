package csi

import (
	"fmt"
	"hash/fnv"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	storagev1 "k8s.io/api/storage/v1"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// The drivers' names, as StorageClasses and PersistentVolumes call them.
const (
	ebsName = "ebs.csi.aws.com"
	efsName = "efs.csi.aws.com"
)

// driver is the controller service of a CSI driver, as far as a provisioner needs it. Errors carry CSI's codes, so that
// they read in events as the real ones do.
type driver interface {
	spec() storagev1.CSIDriverSpec
	// zonal drivers' volumes live in one zone, which create is given.
	zonal() bool
	// create makes the volume of that name, or finds the one it made before.
	create(request volumeRequest) (handle string, bytes int64, err error)
	// delete succeeds if the volume does not exist.
	delete(handle string) error
}

type volumeRequest struct {
	name       string
	bytes      int64
	zone       string
	parameters map[string]string
}

// ebs is the EBS driver. https://github.com/kubernetes-sigs/aws-ebs-csi-driver, pkg/driver/controller.go
type ebs struct{ cloud *cloud.Cloud }

func (*ebs) spec() storagev1.CSIDriverSpec {
	return storagev1.CSIDriverSpec{
		AttachRequired: new(true), PodInfoOnMount: new(false), FSGroupPolicy: new(storagev1.FileFSGroupPolicy),
	}
}

func (*ebs) zonal() bool { return true }

func (d *ebs) create(r volumeRequest) (string, int64, error) {
	v, err := d.cloud.CreateVolume(r.zone, r.bytes, r.name)
	if err != nil {
		return "", 0, status.Errorf(codes.Internal, "Could not create volume %q: could not create volume in EC2: %v", r.name, err)
	}
	return v.ID, v.Size, nil
}

func (d *ebs) delete(handle string) error {
	err := d.cloud.DeleteVolume(handle)
	if err == nil || cloud.HasCode(err, cloud.CodeVolumeNotFound) {
		return nil
	}
	return status.Errorf(codes.Internal, "Could not delete volume ID %q: DeleteDisk could not delete volume: %v", handle, err)
}

// publish attaches a volume to an instance; it succeeds if the volume is attached there already.
func (d *ebs) publish(handle, instanceID string) error {
	if v, found := d.cloud.Volume(handle); found && v.AttachedTo == instanceID {
		return nil
	}
	err := d.cloud.AttachVolume(handle, instanceID)
	switch {
	case err == nil:
		return nil
	case cloud.HasCode(err, cloud.CodeVolumeNotFound, cloud.CodeInstanceNotFound):
		return status.Errorf(codes.NotFound, "Volume %q not found", handle)
	case cloud.HasCode(err, cloud.CodeAttachmentLimitExceeded):
		return status.Errorf(codes.ResourceExhausted, "Attachment limit exceeded for volume %q on node %q: %v", handle, instanceID, err)
	}
	return status.Errorf(codes.Internal, "Could not attach volume %q to node %q: %v", handle, instanceID, err)
}

// unpublish detaches a volume; it succeeds if the volume is not attached there or does not exist.
func (d *ebs) unpublish(handle, instanceID string) error {
	err := d.cloud.DetachVolume(handle, instanceID)
	if err == nil || cloud.HasCode(err, cloud.CodeIncorrectState, cloud.CodeAttachmentNotFound, cloud.CodeVolumeNotFound) {
		return nil
	}
	return status.Errorf(codes.Internal, "Could not detach volume %q from node %q: %v", handle, instanceID, err)
}

// efs is the EFS driver: a directory of a file system that every zone reaches, with nothing to attach. The cloud has no
// file systems, so a volume is no more than its handle.
type efs struct{}

func (efs) spec() storagev1.CSIDriverSpec {
	return storagev1.CSIDriverSpec{AttachRequired: new(false)}
}

func (efs) zonal() bool { return false }

func (efs) create(r volumeRequest) (string, int64, error) {
	fileSystem := r.parameters["fileSystemId"]
	if fileSystem == "" {
		return "", 0, status.Error(codes.InvalidArgument, "Missing fileSystemId parameter")
	}
	hash := fnv.New64a()
	hash.Write([]byte(r.name))
	return fmt.Sprintf("%s::fsap-0%016x", fileSystem, hash.Sum64()), r.bytes, nil
}

func (efs) delete(string) error { return nil }
