// Package aws asks EC2, EC2 Auto Scaling and EKS about machines, through AWS's own SDK and its own way to credentials,
// region and endpoints. It alone knows the SDK.
package aws
