package aws

import (
	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"

	"github.com/naosu-dev/naosu/internal/cloud"
)

// usedByTag is the value of tagRoleCNI with which the VPC CNI uses a subnet beside the nodes' own.
const usedByTag = "1"

// reservations reads the CIDR reservations of the subnets that instances, given by ID, have interfaces in, and of those that a tag has the VPC CNI use.
func (r *networkReader) reservations(instances []string) {
	if why, unread := r.n.Unread[cloud.Subnets]; unread {
		r.n.Unread[cloud.Reservations] = why
		return
	}
	used := r.usedSubnets(instances)
	for i := range r.n.Subnets {
		s := &r.n.Subnets[i]
		if !used[s.ID] && s.RoleCNI != usedByTag {
			continue
		}
		found, err := r.reservationsOf(s.ID)
		if err != nil {
			r.missed(cloud.Reservations, err)
			for i := range r.n.Subnets {
				r.n.Subnets[i].Reservations = nil
			}
			return
		}
		s.Reservations = found
	}
}

// usedSubnets are those that instances are or have interfaces in.
func (r *networkReader) usedSubnets(instances []string) map[string]bool {
	used, ours := map[string]bool{}, map[string]bool{}
	for _, id := range instances {
		ours[id] = true
	}
	for _, i := range r.n.Instances {
		used[i.Subnet] = true
	}
	for _, i := range r.n.Interfaces {
		used[i.Subnet] = used[i.Subnet] || ours[i.AttachedTo]
	}
	return used
}

func (r *networkReader) reservationsOf(subnet string) ([]cloud.Reservation, error) {
	input := &ec2.GetSubnetCidrReservationsInput{SubnetId: sdk.String(subnet)}
	var found []cloud.Reservation
	for range maxPages {
		out, err := ask(r.ctx, callGetReservations, r.ec2.GetSubnetCidrReservations, input)
		if err != nil {
			return nil, err
		}
		for _, one := range out.SubnetIpv4CidrReservations {
			found = append(found, reservationOf(one))
		}
		if input.NextToken = out.NextToken; sdk.ToString(out.NextToken) == "" {
			return found, nil
		}
	}
	return nil, errTooLarge
}

func reservationOf(one types.SubnetCidrReservation) cloud.Reservation {
	return cloud.Reservation{CIDR: sdk.ToString(one.Cidr), Type: cloud.ReservationType(one.ReservationType)}
}
