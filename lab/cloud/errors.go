package cloud

import (
	"errors"
	"fmt"
	"slices"
)

// The codes of EC2 and EC2 Auto Scaling that the lab's cloud answers with.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
const (
	CodeValidation               = "ValidationError"
	CodeAlreadyExists            = "AlreadyExists"
	CodeInstanceNotFound         = "InvalidInstanceID.NotFound"
	CodeIncorrectInstanceState   = "IncorrectInstanceState"
	CodeInsufficientCapacity     = "InsufficientInstanceCapacity"
	CodeInvalidParameter         = "InvalidParameterValue"
	CodeVolumeNotFound           = "InvalidVolume.NotFound"
	CodeZoneMismatch             = "InvalidVolume.ZoneMismatch"
	CodeVolumeInUse              = "VolumeInUse"
	CodeIncorrectState           = "IncorrectState"
	CodeAttachmentNotFound       = "InvalidAttachment.NotFound"
	CodeAttachmentLimitExceeded  = "AttachmentLimitExceeded"
	CodeIdempotentParameterClash = "IdempotentParameterMismatch"
	CodeUnavailable              = "Unavailable"

	CodeSubnetNotFound              = "InvalidSubnetID.NotFound"
	CodeInterfaceNotFound           = "InvalidNetworkInterfaceID.NotFound"
	CodeInterfaceInUse              = "InvalidNetworkInterface.InUse"
	CodeAttachmentIDNotFound        = "InvalidAttachmentID.NotFound"
	CodeInsufficientFreeAddresses   = "InsufficientFreeAddressesInSubnet"
	CodeInsufficientCIDRBlocks      = "InsufficientCidrBlocks"
	CodePrivateIPLimitExceeded      = "PrivateIpAddressLimitExceeded"
	CodeOperationNotPermitted       = "OperationNotPermitted"
	CodeInvalidParameterCombination = "InvalidParameterCombination"
)

// Error is a request that the cloud refused: a code a program can act on, and AWS's sentence for people.
type Error struct {
	Code    string
	Message string
}

func (e *Error) Error() string { return e.Code + ": " + e.Message }

// HasCode says whether the cloud refused with one of the codes.
func HasCode(err error, codes ...string) bool {
	var refused *Error
	if !errors.As(err, &refused) {
		return false
	}
	return slices.Contains(codes, refused.Code)
}

func refuse(code, format string, args ...any) error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}
