package aws

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// service is one of AWS's, with its protocol and error codes.
type service struct {
	name       string
	operations map[string]operation
	read       func(*http.Request) (action string, parameters parameters)
	answer     func(w http.ResponseWriter, id, action string, result any)
	refuse     func(w http.ResponseWriter, id string, fault *cloud.Error)
	// The codes for an unknown key, a wrong signature, and a missing permission.
	unknownKey, wrongSignature, unauthorized string
}

// request is a call that is being answered.
type request struct {
	id         string
	server     *Server
	action     string
	parameters parameters
}

// operation answers one action. The result is what the service's answer encodes.
type operation func(request) (result any, err error)

// serviceOf is the service a request is signed for. One that is not signed for any is refused in the words of EC2.
func serviceOf(signed authorization) *service {
	for _, s := range []*service{autoscaling, eks} {
		if s.name == signed.service {
			return s
		}
	}
	return ec2
}

func (s *service) deny(action string) error {
	return refuse(s.unauthorized, "You are not authorized to perform this operation: %s:%s", s.name, action)
}

func refuse(code, format string, args ...any) error {
	return &cloud.Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// asError is what the answer says of a fault: the cloud's own words, or that the lab itself failed.
func asError(fault error) *cloud.Error {
	if refused, is := errors.AsType[*cloud.Error](fault); is {
		return refused
	}
	return &cloud.Error{Code: "InternalError", Message: fault.Error()}
}

// statusOf is the HTTP status that AWS sends with a code.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
func statusOf(code string) int {
	switch code {
	case "AuthFailure":
		return http.StatusUnauthorized
	case "UnauthorizedOperation", "AccessDenied", "AccessDeniedException", "SignatureDoesNotMatch", "InvalidSignatureException",
		"InvalidClientTokenId", "UnrecognizedClientException", "MissingAuthenticationToken", "ExpiredToken":
		return http.StatusForbidden
	case "ResourceNotFoundException":
		return http.StatusNotFound
	case codeInUse:
		return http.StatusConflict
	case "DryRunOperation":
		return http.StatusPreconditionFailed
	case "InternalError", "ResourceContention", cloud.CodeInsufficientCapacity:
		return http.StatusInternalServerError
	case "ThrottlingException": // EKS's; EC2's and Auto Scaling's are below
		return http.StatusTooManyRequests
	case CodeRequestLimitExceeded, cloud.CodeUnavailable:
		return http.StatusServiceUnavailable
	}
	return http.StatusBadRequest
}
