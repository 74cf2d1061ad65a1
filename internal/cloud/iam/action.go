package iam

// Action is a call of AWS by its name in IAM.
type Action = string

// The calls that read. None of EC2's and Auto Scaling's supports resource restrictions.
const (
	DescribeInstances            Action = "ec2:DescribeInstances"                    // machines of nodes: their VPC, subnet, group and tags; whether one exists
	DescribeInstanceStatus       Action = "ec2:DescribeInstanceStatus"               // whether a machine is off or impaired
	DescribeInstanceTypes        Action = "ec2:DescribeInstanceTypes"                // how many interfaces and addresses a type allows
	GetSubnetCidrReservations    Action = "ec2:GetSubnetCidrReservations"            // ranges from which the VPC CNI gets no addresses
	DescribeSubnets              Action = "ec2:DescribeSubnets"                      // free addresses
	DescribeNetworkInterfaces    Action = "ec2:DescribeNetworkInterfaces"            // who holds addresses; an interface right before its deletion
	DescribeAutoScalingGroups    Action = "autoscaling:DescribeAutoScalingGroups"    // sizes of groups, and whether they launch instances
	DescribeAutoScalingInstances Action = "autoscaling:DescribeAutoScalingInstances" // the group of an instance, and whether it is protected
	DescribeNodegroup            Action = "eks:DescribeNodegroup"                    // sizes of a managed node group, and whether it repairs nodes
	DescribeUpdate               Action = "eks:DescribeUpdate"                       // what became of UpdateNodegroupConfig
)

// The calls that change something.
const (
	RebootInstances          Action = "ec2:RebootInstances"                             // the action Reboot
	TerminateInstanceInGroup Action = "autoscaling:TerminateInstanceInAutoScalingGroup" // the action Replace
	DeleteNetworkInterface   Action = "ec2:DeleteNetworkInterface"                      // an AddressPolicy
	UpdateNodegroupConfig    Action = "eks:UpdateNodegroupConfig"                       // a HeadroomPolicy, of managed node groups
	UpdateAutoScalingGroup   Action = "autoscaling:UpdateAutoScalingGroup"              // a HeadroomPolicy, of other groups
)
