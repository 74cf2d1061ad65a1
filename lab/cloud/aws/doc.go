// Package aws serves AWS's wire protocols for the lab's cloud, so that the real SDK and AWS's own command line, pointed at
// it by AWS_ENDPOINT_URL, read what AWS would send.
//
// EC2 and EC2 Auto Scaling take forms and answer in XML; EKS takes paths and answers in JSON. One address serves all: the
// service, and the region, are those that the request is signed for. What the cloud does not hold is left out of an answer,
// never made up. No AWS code is used here, so that the lab and the SDK cannot share a mistake.
package aws
