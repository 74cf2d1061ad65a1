package runtime

import (
	"bytes"
	"context"
	"crypto/x509"
	"encoding/base64"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/kubeconfig"
	"github.com/naosu-dev/naosu/internal/agent/source/kubeletfiles"
)

// The kubelet asks for its next certificate when 70 to 90 % of this one's life are over
// (https://github.com/kubernetes/client-go/blob/v0.36.3/util/certificate/certificate_manager.go, nextRotationDeadline): one that has
// less left is not renewed. One of many years, which somebody renews by hand, is near its end only in its last two months.
const (
	minLifeLeft = 0.1
	maxTimeLeft = 60 * 24 * time.Hour
)

// certificate reads when the client certificate expires with which the kubelet authenticates to the API server.
type certificate struct {
	finder kubeletfiles.Finder
	clock  clock.PassiveClock
}

func (c *certificate) find(context.Context) ([]evidence.Evidence, error) {
	k, err := c.finder.Find()
	if errors.Is(err, kubeletfiles.ErrNone) {
		return inapplicable(err.Error(), reason.KubeletClientCertificateExpiration), nil
	}
	if err != nil {
		return nil, err
	}
	cert, from, without, err := clientCertificate(k)
	switch {
	case err != nil:
		return nil, err
	case without != "":
		return inapplicable(without, reason.KubeletClientCertificateExpiration), nil
	}
	raw, ends, err := judgeLife(cert, c.clock.Now())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", from, err)
	}
	if !ends {
		return nil, nil
	}
	return []evidence.Evidence{{Reason: reason.KubeletClientCertificateExpiration, State: evidence.Fault, Source: from, Raw: raw}}, nil
}

// judgeLife says whether a certificate has expired or expires soon.
func judgeLife(cert *x509.Certificate, now time.Time) (raw string, ends bool, err error) {
	left, life := cert.NotAfter.Sub(now), cert.NotAfter.Sub(cert.NotBefore)
	end := cert.NotAfter.UTC().Format(time.RFC3339)
	switch {
	case cert.IsCA:
		return "", false, fmt.Errorf("its first certificate is an authority's (%s), not the kubelet's", cert.Subject.CommonName)
	case left <= 0:
		return fmt.Sprintf("the certificate of %s ended %s", cert.Subject.CommonName, end), true, nil
	case now.Before(cert.NotBefore):
		return "", false, fmt.Errorf("the certificate of %s begins %s, which is to come: a clock is wrong", cert.Subject.CommonName, cert.NotBefore.UTC().Format(time.RFC3339))
	case left < time.Duration(minLifeLeft*float64(life)) && left < maxTimeLeft:
		return fmt.Sprintf("the certificate of %s ends %s and was not renewed", cert.Subject.CommonName, end), true, nil
	}
	return "", false, nil
}

// currentCertificate is the symbolic link, in the kubelet's folder of certificates, to the one that was issued last.
const currentCertificate = "kubelet-client-current.pem"

// clientCertificate is the certificate that the kubelet's kubeconfig names, and the file that it is in. without is why there is none: the
// kubelet authenticates in another way, or to no API server.
func clientCertificate(k kubeletfiles.Kubelet) (cert *x509.Certificate, from, without string, err error) {
	path, is := k.Flag("kubeconfig")
	if !is {
		return nil, "", "the kubelet has no --kubeconfig: it talks to no API server", nil
	}
	text, err := k.Read(path)
	if err != nil {
		return nil, "", "", err
	}
	defer clear(text)
	_, user, err := kubeconfig.Current(text)
	if err != nil {
		return nil, "", "", fmt.Errorf("kubeconfig %s: %w", path, err)
	}
	switch {
	case user.CertData != "":
		return embedded(k, path, user.CertData)
	case user.CertFile != "":
		file := user.CertFile
		if !filepath.IsAbs(file) {
			file = filepath.Join(filepath.Dir(path), file)
		}
		cert, err = readCertificate(k.Read, file)
		return cert, file, "", err
	case user.Exec != nil:
		return nil, "", "a command gives the kubelet a token (exec in " + path + "): it has no certificate", nil
	}
	return nil, "", path + " names no client certificate", nil
}

// embedded is the certificate that is in a kubeconfig itself, or the one that was issued to the kubelet last if that expires later: the kubelet
// bootstraps with the former, and keeps those that it is issued in a folder.
func embedded(k kubeletfiles.Kubelet, path, data string) (cert *x509.Certificate, from, without string, err error) {
	folder, is := k.Flag("cert-dir")
	if !is {
		folder = "/var/lib/kubelet/pki"
	}
	file := filepath.Join(folder, currentCertificate)
	last, err := readCertificate(k.Read, file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, "", "", err
	}
	text, err := base64.StdEncoding.DecodeString(data)
	if err == nil {
		cert, err = parseCertificate(text)
	}
	if err != nil {
		return nil, "", "", fmt.Errorf("kubeconfig %s: %w", path, err)
	}
	if last != nil && last.NotAfter.After(cert.NotAfter) {
		return last, file, "", nil
	}
	return cert, path, "", nil
}

// readCertificate reads the first certificate in a file. It reads again if the file changes meanwhile.
func readCertificate(read func(path string) ([]byte, error), path string) (*x509.Certificate, error) {
	const tries = 5
	var before []byte
	for range tries {
		text, err := read(path)
		if err != nil {
			return nil, err
		}
		cert, err := parseCertificate(text)
		if err == nil {
			clear(text) // The key may be in the same file.
			return cert, nil
		}
		if before != nil && bytes.Equal(before, text) {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		before = text
	}
	return nil, fmt.Errorf("%s: it changes while it is read", path)
}

// parseCertificate is the first certificate of a PEM file, which is the holder's own (RFC 8446, 4.4.2).
func parseCertificate(text []byte) (*x509.Certificate, error) {
	for block, rest := pem.Decode(text); block != nil; block, rest = pem.Decode(rest) {
		if block.Type == "CERTIFICATE" {
			return x509.ParseCertificate(block.Bytes)
		}
	}
	return nil, errors.New("there is no certificate in it")
}
