package record

import (
	"bytes"
	"context"
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// HeartbeatCAName is the name of the Secret that holds the certificate authorities of the controller's heartbeat server, and of the
// ConfigMap from which agents take their certificates.
const HeartbeatCAName = "naosu-heartbeat-ca"

const (
	// caCertificatesKey is a key of both objects, caKeysKey one of the Secret.
	caCertificatesKey = "ca.crt"
	caKeysKey         = "ca.key"
)

// +kubebuilder:rbac:groups="",namespace=naosu-system,resources=configmaps,resourceNames=naosu-heartbeat-ca,verbs=get;update
// +kubebuilder:rbac:groups="",namespace=naosu-system,resources=secrets,verbs=create
// +kubebuilder:rbac:groups="",namespace=naosu-system,resources=secrets,resourceNames=naosu-heartbeat-ca,verbs=get;update

// HeartbeatCA is what is stored of the certificate authorities, as it was read. It is not validated.
type HeartbeatCA struct {
	// Certificates and Keys are those of the Secret, in PEM; empty if there is none.
	Certificates, Keys []byte
	// Published are the certificates in the ConfigMap, in PEM; empty if there is none.
	Published string
	// The objects themselves, without a resourceVersion if they do not exist.
	secret    *corev1.Secret
	configMap *corev1.ConfigMap
}

// ReadHeartbeatCA reads the Secret and the ConfigMap past any cache. The ConfigMap is read first: whoever writes it as read then does
// so with a Secret that is at least as new as that of the last writer.
func (r *Records) ReadHeartbeatCA(ctx context.Context) (*HeartbeatCA, error) {
	of := metav1.ObjectMeta{Namespace: r.namespace(), Name: HeartbeatCAName}
	read := &HeartbeatCA{secret: &corev1.Secret{ObjectMeta: of}, configMap: &corev1.ConfigMap{ObjectMeta: of}}
	for _, one := range []struct {
		kind   string
		object client.Object
	}{{"ConfigMap", read.configMap}, {"Secret", read.secret}} {
		if err := r.Reader.Get(ctx, client.ObjectKeyFromObject(one.object), one.object); client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("read the %s %s/%s: %w", one.kind, of.Namespace, of.Name, err)
		}
	}
	read.Published = read.configMap.Data[caCertificatesKey]
	read.Certificates, read.Keys = read.secret.Data[caCertificatesKey], read.secret.Data[caKeysKey]
	return read, nil
}

// WriteHeartbeatCA writes the Secret in place of the one that was read, with these certificates and keys in PEM and nothing else. It
// fails with a conflict if the Secret is not as read any more. Nothing is written where nothing changes.
func (r *Records) WriteHeartbeatCA(ctx context.Context, read *HeartbeatCA, certificates, keys []byte) (written bool, err error) {
	after := read.secret.DeepCopy()
	after.Data = map[string][]byte{caCertificatesKey: certificates, caKeysKey: keys}
	if after.ResourceVersion != "" && maps.EqualFunc(after.Data, read.secret.Data, bytes.Equal) {
		return false, nil
	}
	if err := r.put(ctx, "secrets", after); err != nil {
		return false, fmt.Errorf("write the Secret %s/%s: %w", after.Namespace, after.Name, err)
	}
	read.secret, read.Certificates, read.Keys = after, certificates, keys
	return true, nil
}

// PublishHeartbeatCA writes the ConfigMap in place of the one that was read, likewise.
func (r *Records) PublishHeartbeatCA(ctx context.Context, read *HeartbeatCA, certificates string) (written bool, err error) {
	after := read.configMap.DeepCopy()
	after.Data, after.BinaryData = map[string]string{caCertificatesKey: certificates}, nil
	if after.ResourceVersion != "" && maps.Equal(after.Data, read.configMap.Data) && len(read.configMap.BinaryData) == 0 {
		return false, nil
	}
	if err := r.put(ctx, "configmaps", after); err != nil {
		return false, fmt.Errorf("write the ConfigMap %s/%s: %w", after.Namespace, after.Name, err)
	}
	read.configMap, read.Published = after, certificates
	return true, nil
}
