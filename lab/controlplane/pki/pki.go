// Package pki signs the certificates of a control plane, with an authority that lives in files laid out as kubeadm does.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"path/filepath"
	"time"

	certutil "k8s.io/client-go/util/cert"
	"k8s.io/client-go/util/keyutil"

	"github.com/naosu-dev/naosu/lab/atomicfile"
)

// dateBack lets clients whose clock is behind accept what the lab signs.
const dateBack = 24 * time.Hour

// Authority signs certificates. It lives in the data folder as NAME.crt and NAME.key, laid out as kubeadm does, so that
// clients of an earlier run stay good.
type Authority struct {
	cert *x509.Certificate
	key  crypto.Signer
}

// Open reads the authority of that name from a folder, or makes it if the folder has none.
func Open(dir, name string) (*Authority, error) {
	certFile, keyFile := filepath.Join(dir, name+".crt"), filepath.Join(dir, name+".key")
	certs, err := certutil.CertsFromFile(certFile)
	if errors.Is(err, fs.ErrNotExist) {
		return newAuthority(certFile, keyFile, name)
	}
	if err != nil {
		return nil, fmt.Errorf("read certificate authority: %w", err)
	}
	key, err := readKey(keyFile)
	if err != nil {
		return nil, err
	}
	if !key.PublicKey.Equal(certs[0].PublicKey) {
		return nil, fmt.Errorf("%s does not belong to %s", keyFile, certFile)
	}
	return &Authority{cert: certs[0], key: key}, nil
}

// newAuthority writes the key first: a certificate without a key means damage, the reverse only an interrupted start.
func newAuthority(certFile, keyFile, name string) (*Authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("generate key: %w", err)
	}
	cert, err := certutil.NewSelfSignedCACert(certutil.Config{CommonName: "naosu-lab-" + name, NotBefore: time.Now().Add(-dateBack)}, key)
	if err != nil {
		return nil, fmt.Errorf("sign certificate authority: %w", err)
	}
	if err := writeKey(keyFile, key); err != nil {
		return nil, err
	}
	if err := atomicfile.Write(certFile, encodeCert(cert.Raw), 0o644); err != nil {
		return nil, err
	}
	return &Authority{cert: cert, key: key}, nil
}

// issue signs a fresh key pair, returned in PEM.
func (a *Authority) issue(template x509.Certificate) (cert, key []byte, err error) {
	signer, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, fmt.Errorf("generate key: %w", err)
	}
	if template.SerialNumber, err = rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 127)); err != nil {
		return nil, nil, fmt.Errorf("generate serial number: %w", err)
	}
	template.NotBefore, template.NotAfter = a.cert.NotBefore, a.cert.NotAfter
	template.KeyUsage = x509.KeyUsageDigitalSignature
	der, err := x509.CreateCertificate(rand.Reader, &template, a.cert, signer.Public(), a.key)
	if err != nil {
		return nil, nil, fmt.Errorf("sign certificate for %q: %w", template.Subject.CommonName, err)
	}
	if key, err = keyutil.MarshalPrivateKeyToPEM(signer); err != nil {
		return nil, nil, fmt.Errorf("encode key: %w", err)
	}
	return encodeCert(der), key, nil
}

// Client issues a certificate that Kubernetes reads as a user (CN) and its groups (O).
func (a *Authority) Client(user string, groups ...string) (cert, key []byte, err error) {
	return a.issue(x509.Certificate{
		Subject:     pkix.Name{CommonName: user, Organization: groups},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth},
	})
}

// Server issues a serving certificate to a program.
func (a *Authority) Server(program string, names []string, addresses []net.IP) (cert, key []byte, err error) {
	return a.issue(x509.Certificate{
		Subject:     pkix.Name{CommonName: program},
		DNSNames:    names,
		IPAddresses: addresses,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
	})
}

// Certificate is the authority's own, in PEM: what clients trust.
func (a *Authority) Certificate() []byte { return encodeCert(a.cert.Raw) }

func encodeCert(der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: certutil.CertificateBlockType, Bytes: der})
}

// OpenKey reads a private key, or makes it if there is none.
func OpenKey(file string) error {
	if _, err := readKey(file); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return fmt.Errorf("generate key: %w", err)
	}
	return writeKey(file, key)
}

func readKey(file string) (*ecdsa.PrivateKey, error) {
	key, err := keyutil.PrivateKeyFromFile(file)
	if err != nil {
		return nil, fmt.Errorf("read key: %w", err)
	}
	signer, is := key.(*ecdsa.PrivateKey)
	if !is {
		return nil, fmt.Errorf("read key %s: not an ECDSA key", file)
	}
	return signer, nil
}

func writeKey(file string, key *ecdsa.PrivateKey) error {
	encoded, err := keyutil.MarshalPrivateKeyToPEM(key)
	if err != nil {
		return fmt.Errorf("encode key: %w", err)
	}
	return atomicfile.Write(file, encoded, 0o600)
}
