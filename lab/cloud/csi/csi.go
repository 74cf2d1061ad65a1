package csi

import (
	"context"
	"fmt"
	"time"

	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/pace"
)

// resync is the external-attacher's.
const resync = 10 * time.Minute

// Options say which cluster's volumes to look after.
type Options struct {
	// Config reaches the API server.
	Config *rest.Config
	Cloud  *cloud.Cloud
	// Pace is how much faster than reality failed operations are tried again; nil is real time.
	Pace *pace.Pace
}

// Run registers the drivers and serves the cluster's claims, volumes and attachments until ctx ends.
func Run(ctx context.Context, o Options) error {
	client, err := kubernetes.NewForConfig(rest.AddUserAgent(rest.CopyConfig(o.Config), "csi"))
	if err != nil {
		return fmt.Errorf("building the CSI drivers' client: %w", err)
	}
	return run(ctx, client, o)
}

func run(ctx context.Context, client kubernetes.Interface, o Options) error {
	disks := &ebs{cloud: o.Cloud}
	drivers := map[string]driver{ebsName: disks, efsName: efs{}}
	for name, d := range drivers {
		if err := register(ctx, client, name, d); err != nil {
			return err
		}
	}
	factory := informers.NewSharedInformerFactory(client, o.Pace.Real(resync))
	attacher := newAttacher(client, factory, disks, o.Pace)
	provisioner := newProvisioner(client, factory, drivers, o.Pace)
	factory.Start(ctx.Done())
	defer factory.Shutdown()
	factory.WaitForCacheSync(ctx.Done())

	defer provisioner.record(ctx)()
	runLoops(ctx, attacher.attachmentLoop, attacher.volumeLoop, provisioner.claimLoop, provisioner.volumeLoop)
	return nil
}

// watch cannot fail before an informer is started.
func watch(informer cache.SharedIndexInformer, handler cache.ResourceEventHandler) {
	_, _ = informer.AddEventHandler(handler)
}

// register makes the driver's CSIDriver object, or leaves an existing one.
func register(ctx context.Context, client kubernetes.Interface, name string, d driver) error {
	object := &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: d.spec()}
	_, err := client.StorageV1().CSIDrivers().Create(ctx, object, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return fmt.Errorf("registering CSI driver %s: %w", name, err)
	}
	return nil
}
