package aws

import (
	"fmt"
	"hash/fnv"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// The parts of EC2's SubnetCidrReservation that the lab's cloud holds. It has none of IPv6.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_SubnetCidrReservation.html
type (
	reservationsAnswer struct {
		RequestID string                 `xml:"requestId"`
		IPv4      items[cidrReservation] `xml:"subnetIpv4CidrReservationSet"`
		IPv6      items[cidrReservation] `xml:"subnetIpv6CidrReservationSet"`
	}
	cidrReservation struct {
		ID       string `xml:"subnetCidrReservationId"`
		SubnetID string `xml:"subnetId"`
		CIDR     string `xml:"cidr"`
		Type     string `xml:"reservationType"`
		OwnerID  string `xml:"ownerId"`
	}
)

// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_GetSubnetCidrReservations.html
func getSubnetCIDRReservations(r request) (any, error) {
	id, err := r.parameters.required("SubnetId")
	if err != nil {
		return nil, err
	}
	filters, err := r.parameters.filters([]string{"reservationType", "subnet-id", "tag-key"})
	if err != nil {
		return nil, err
	}
	kind := r.server.subnets()
	found, err := named(request{parameters: parameters{kind.parameter + ".1": {id}}}, kind, r.server.delayedView().Subnets)
	if err != nil {
		return nil, err
	}
	answer := reservationsAnswer{RequestID: r.id}
	for _, one := range found[0].Reservations {
		fields := map[string][]string{"reservationType": {one.Type}, "subnet-id": {id}}
		if matchesAll(filters, fields) {
			answer.IPv4.Items = append(answer.IPv4.Items, cidrReservation{ID: reservationID(id, one), SubnetID: id, CIDR: one.CIDR, Type: one.Type, OwnerID: account})
		}
	}
	return answer, nil
}

func reservationID(subnet string, one cloud.CIDRReservation) string {
	h := fnv.New64a()
	fmt.Fprint(h, subnet, one.CIDR)
	return fmt.Sprintf("scr-0%016x", h.Sum64())
}
