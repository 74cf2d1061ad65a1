package aws

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Signature Version 4: https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
const (
	algorithm  = "AWS4-HMAC-SHA256"
	terminator = "aws4_request"
	amzDate    = "20060102T150405Z"
	// validity is how far a signature's time may be from now.
	validity = 15 * time.Minute
)

// authorization is what a request's Authorization header says.
type authorization struct {
	key, date, region, service string
	headers                    []string
	signature                  string
}

func (a authorization) scope() string {
	return strings.Join([]string{a.date, a.region, a.service, terminator}, "/")
}

// readAuthorization returns what it could read even when it cannot be right.
func readAuthorization(r *http.Request) (authorization, error) {
	given := r.Header.Get("Authorization")
	if given == "" {
		return authorization{}, refuse("MissingAuthenticationToken", "Request is missing Authentication Token")
	}
	incomplete := refuse("IncompleteSignature", "The request signature does not conform to AWS standards.")
	fields, found := strings.CutPrefix(given, algorithm+" ")
	if !found {
		return authorization{}, incomplete
	}
	var a authorization
	var ended string
	for part := range strings.SplitSeq(fields, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "Credential":
			if scope := strings.Split(value, "/"); len(scope) == 5 {
				a.key, a.date, a.region, a.service, ended = scope[0], scope[1], scope[2], scope[3], scope[4]
			}
		case "SignedHeaders":
			a.headers = strings.Split(value, ";")
		case "Signature":
			a.signature = value
		}
	}
	signsEssentials := slices.Contains(a.headers, "host") && slices.Contains(a.headers, "x-amz-date")
	if ended != terminator || a.signature == "" || !signsEssentials {
		return a, incomplete
	}
	return a, nil
}

// authenticate checks that the request was signed, lately and for this region, with the secret of a key of the lab's.
func (s *Server) authenticate(called *service, signed authorization, r *http.Request, body []byte) error {
	at := slices.IndexFunc(s.Keys, func(k Key) bool { return k.ID == signed.key })
	if at < 0 {
		return refuse(called.unknownKey, "AWS was not able to validate the provided access credentials")
	}
	moment, err := time.Parse(amzDate, r.Header.Get("X-Amz-Date"))
	if err != nil || moment.Format("20060102") != signed.date {
		return refuse("IncompleteSignature", "Date must be in ISO-8601 'basic format' and fit the credential's scope.")
	}
	if s.Clock.Since(moment).Abs() > validity {
		return refuse("RequestExpired", "Request has expired.")
	}
	if region := s.Cloud.Region(); signed.region != region {
		return refuse(called.wrongSignature, "Credential should be scoped to a valid region, not '%s'; it is %s.", signed.region, region)
	}
	want := sign(s.Keys[at].Secret, signed, moment, canonical(r, signed.headers, body))
	if !hmac.Equal([]byte(want), []byte(signed.signature)) {
		return refuse(called.wrongSignature, "The request signature we calculated does not match the signature you provided. Check your AWS Secret Access Key and signing method. Consult the service documentation for details.")
	}
	return nil
}

func sign(secret string, a authorization, moment time.Time, canonical string) string {
	key := []byte("AWS4" + secret)
	for part := range strings.SplitSeq(a.scope(), "/") {
		key = mac(key, part)
	}
	text := strings.Join([]string{algorithm, moment.Format(amzDate), a.scope(), digest([]byte(canonical))}, "\n")
	return hex.EncodeToString(mac(key, text))
}

// canonical is the request in the one spelling that both sides sign.
func canonical(r *http.Request, signed []string, body []byte) string {
	var headers strings.Builder
	for _, name := range signed {
		headers.WriteString(name + ":" + headerValue(r, name) + "\n")
	}
	return strings.Join([]string{
		r.Method, canonicalPath(r.URL), canonicalQuery(r.URL), headers.String(), strings.Join(signed, ";"), digest(body),
	}, "\n")
}

// canonicalPath escapes the path, as it was sent, once more.
func canonicalPath(u *url.URL) string {
	sent := u.EscapedPath()
	if sent == "" {
		return "/"
	}
	segments := strings.Split(sent, "/")
	for i, segment := range segments {
		segments[i] = escape(segment)
	}
	return strings.Join(segments, "/")
}

func canonicalQuery(u *url.URL) string {
	var pairs []string
	for name, values := range u.Query() {
		for _, value := range values {
			pairs = append(pairs, escape(name)+"="+escape(value))
		}
	}
	slices.Sort(pairs)
	return strings.Join(pairs, "&")
}

// escape leaves letters, digits and "-._~" alone.
func escape(s string) string { return strings.ReplaceAll(url.QueryEscape(s), "+", "%20") }

// headerValue is a header as it was signed; Go's server moves two of them out of the map.
func headerValue(r *http.Request, name string) string {
	switch name {
	case "host":
		return r.Host
	case "content-length":
		return strconv.FormatInt(r.ContentLength, 10)
	}
	values := slices.Clone(r.Header.Values(name))
	for i, value := range values {
		values[i] = strings.Join(strings.Fields(value), " ")
	}
	return strings.Join(values, ",")
}

func mac(key []byte, text string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(text))
	return h.Sum(nil)
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
