// Package aws calls EC2, EC2 Auto Scaling and EKS with AWS's SDK, which finds credentials, region and endpoints. It is the only package that
// imports the SDK.
package aws
