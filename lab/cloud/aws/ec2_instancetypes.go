package aws

import (
	"regexp"

	k8s "k8s.io/apimachinery/pkg/api/resource"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// The parts of EC2's InstanceTypeInfo that the lab's cloud holds.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_InstanceTypeInfo.html
type (
	instanceTypesAnswer struct {
		RequestID string              `xml:"requestId"`
		Types     items[instanceType] `xml:"instanceTypeSet"`
		NextToken string              `xml:"nextToken,omitempty"`
	}
	instanceType struct {
		Name        string      `xml:"instanceType"`
		DefaultCPUs int64       `xml:"vCpuInfo>defaultVCpus"`
		MemoryMiB   int64       `xml:"memoryInfo>sizeInMiB"`
		Network     networkInfo `xml:"networkInfo"`
	}
	networkInfo struct {
		MaximumNetworkInterfaces  int `xml:"maximumNetworkInterfaces"`
		IPv4AddressesPerInterface int `xml:"ipv4AddressesPerInterface"`
	}
)

var instanceTypes = resource[cloud.InstanceType]{
	parameter: "InstanceType", set: "instanceTypeSet", pattern: regexp.MustCompile(`^[a-z0-9-]+\.[a-z0-9-]+$`),
	malformed: "InvalidInstanceType", notFound: "InvalidInstanceType",
	absent: "The following supplied instance types do not exist: [%s]", absents: "The following supplied instance types do not exist: [%s]",
	filters: []string{"instance-type"},
	fields:  func(t cloud.InstanceType) map[string][]string { return map[string][]string{"instance-type": {t.Name}} },
	id:      func(t cloud.InstanceType) string { return t.Name }, lowest: 5, highest: 100,
}

// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DescribeInstanceTypes.html
func describeInstanceTypes(r request) (any, error) {
	found, token, err := selection(r, instanceTypes, r.server.Cloud.InstanceTypes(), every)
	if err != nil {
		return nil, err
	}
	answer := instanceTypesAnswer{RequestID: r.id, NextToken: token}
	for _, t := range found {
		cpu, memory := k8s.MustParse(t.CPU), k8s.MustParse(t.Memory) // they were validated with the Spec
		answer.Types.Items = append(answer.Types.Items, instanceType{
			Name: t.Name, DefaultCPUs: cpu.Value(), MemoryMiB: memory.Value() >> 20,
			Network: networkInfo{t.MaximumNetworkInterfaces, t.IPv4AddressesPerInterface},
		})
	}
	return answer, nil
}
