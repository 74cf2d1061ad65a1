package servingcert

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"slices"
	"time"
)

const (
	// authorityLifetime is how long a certificate authority is valid. Its successor is made when it has lived for authorityRenewal.
	authorityLifetime = 365 * 24 * time.Hour
	authorityRenewal  = authorityLifetime * 2 / 3
	// servingLifetime is how long a serving certificate is valid. It is replaced at half of that.
	servingLifetime = 3 * 24 * time.Hour
	// backdate is for how long before it is made a certificate is valid, for nodes and replicas whose clocks are slow.
	backdate = time.Hour
	// maxAhead is how far in the future the certificate of an authority may begin: its maker's clock may be fast.
	maxAhead = 24 * time.Hour

	authorityName  = "naosu-heartbeat-ca"
	certificatePEM = "CERTIFICATE"
	keyPEM         = "PRIVATE KEY"
)

// authority is a certificate authority of naosu's own.
type authority struct {
	certificate *x509.Certificate
	key         *ecdsa.PrivateKey
}

// id tells an authority from any other.
func (a authority) id() string { return string(a.certificate.Raw) }

func (a authority) valid(now time.Time) bool {
	return !now.Before(a.certificate.NotBefore) && now.Before(a.certificate.NotAfter)
}

// newAuthority makes one that may vouch for a server's name and for nothing else.
func newAuthority(now time.Time, serverName string) (authority, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return authority{}, fmt.Errorf("make the key of a certificate authority: %w", err)
	}
	certificate, err := sign(&x509.Certificate{
		Subject:   pkix.Name{CommonName: authorityName},
		NotBefore: now.Add(-backdate), NotAfter: now.Add(authorityLifetime),
		KeyUsage: x509.KeyUsageCertSign, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true, IsCA: true, MaxPathLenZero: true,
		PermittedDNSDomainsCritical: true, PermittedDNSDomains: []string{serverName},
	}, nil, key, key)
	if err != nil {
		return authority{}, fmt.Errorf("make a certificate authority: %w", err)
	}
	return authority{certificate, key}, nil
}

// serve makes a serving certificate, with a key of its own.
func (a authority) serve(now time.Time, serverName string) (*tls.Certificate, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make the key of a serving certificate: %w", err)
	}
	end := now.Add(servingLifetime)
	if end.After(a.certificate.NotAfter) {
		end = a.certificate.NotAfter
	}
	certificate, err := sign(&x509.Certificate{
		Subject: pkix.Name{CommonName: serverName}, DNSNames: []string{serverName},
		NotBefore: now.Add(-backdate), NotAfter: end,
		KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		BasicConstraintsValid: true,
	}, a.certificate, key, a.key)
	if err != nil {
		return nil, fmt.Errorf("make a serving certificate: %w", err)
	}
	return &tls.Certificate{Certificate: [][]byte{certificate.Raw}, PrivateKey: key, Leaf: certificate}, nil
}

// sign makes a certificate of a template for the owner of a key; without a parent, it is self-signed.
func sign(template, parent *x509.Certificate, owner, signer *ecdsa.PrivateKey) (*x509.Certificate, error) {
	if parent == nil {
		parent = template
	}
	raw, err := x509.CreateCertificate(rand.Reader, template, parent, owner.Public(), signer)
	if err != nil {
		return nil, err
	}
	return x509.ParseCertificate(raw)
}

// parse returns the authorities that are stored, the oldest first, but for those that have expired and those that naosu did not make:
// of these the key may be missing or another's, or they may be valid for too long or for other names. Whatever else is there is
// ignored.
func parse(certificates, keys []byte, now time.Time, serverName string) []authority {
	owned := parseKeys(keys)
	var found []authority
	for block := range blocks(certificates) {
		certificate, err := x509.ParseCertificate(block.Bytes)
		if err != nil || !own(certificate, serverName) || !now.Before(certificate.NotAfter) || certificate.NotBefore.After(now.Add(maxAhead)) {
			continue
		}
		at := slices.IndexFunc(owned, func(key *ecdsa.PrivateKey) bool { return key.PublicKey.Equal(certificate.PublicKey) })
		known := slices.ContainsFunc(found, func(a authority) bool { return a.certificate.Equal(certificate) })
		if at >= 0 && !known {
			found = append(found, authority{certificate, owned[at]})
		}
	}
	slices.SortFunc(found, func(a, b authority) int {
		if order := a.certificate.NotBefore.Compare(b.certificate.NotBefore); order != 0 {
			return order
		}
		return bytes.Compare(a.certificate.Raw, b.certificate.Raw)
	})
	return found
}

// own says whether a certificate is as newAuthority makes them.
func own(c *x509.Certificate, serverName string) bool {
	return c.IsCA && c.BasicConstraintsValid && c.MaxPathLenZero && c.KeyUsage == x509.KeyUsageCertSign && c.Subject.CommonName == authorityName &&
		slices.Equal(c.PermittedDNSDomains, []string{serverName}) && len(c.UnhandledCriticalExtensions) == 0 &&
		c.NotAfter.Sub(c.NotBefore) <= authorityLifetime+backdate && c.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature) == nil
}

func parseKeys(text []byte) []*ecdsa.PrivateKey {
	var found []*ecdsa.PrivateKey
	for block := range blocks(text) {
		key, err := x509.ParsePKCS8PrivateKey(block.Bytes)
		if err != nil {
			continue
		}
		if key, ok := key.(*ecdsa.PrivateKey); ok && key.Curve == elliptic.P256() {
			found = append(found, key)
		}
	}
	return found
}

// blocks yields the blocks of a PEM text.
func blocks(text []byte) func(yield func(*pem.Block) bool) {
	return func(yield func(*pem.Block) bool) {
		for {
			var block *pem.Block
			if block, text = pem.Decode(text); block == nil || !yield(block) {
				return
			}
		}
	}
}

// encode is what parse reads.
func encode(all []authority) (certificates, keys []byte, err error) {
	for _, a := range all {
		key, err := x509.MarshalPKCS8PrivateKey(a.key)
		if err != nil {
			return nil, nil, fmt.Errorf("encode the key of a certificate authority: %w", err)
		}
		certificates = append(certificates, pem.EncodeToMemory(&pem.Block{Type: certificatePEM, Bytes: a.certificate.Raw})...)
		keys = append(keys, pem.EncodeToMemory(&pem.Block{Type: keyPEM, Bytes: key})...)
	}
	return certificates, keys, nil
}

// published says which of these certificates a PEM text has, by their ids.
func published(text string) map[string]bool {
	found := map[string]bool{}
	for block := range blocks([]byte(text)) {
		found[string(block.Bytes)] = true
	}
	return found
}

// errNone is that there is no authority that may sign now.
var errNone = errors.New("no certificate authority is valid and published")
