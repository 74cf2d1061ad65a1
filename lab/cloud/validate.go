package cloud

import (
	"fmt"
	"maps"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// maxZones is how many zones get a /20 subnet of 10.0.0.0/16 by default.
const maxZones = 16

// Validate says what is wrong with a Spec, each error with the field at fault below path.
func (s Spec) Validate(path *field.Path) field.ErrorList {
	byDefault := len(s.Subnets) == 0
	s = s.withDefaults()
	var errs field.ErrorList
	if byDefault && len(s.Zones) > maxZones {
		errs = append(errs, field.TooMany(path.Child("zones"), len(s.Zones), maxZones))
	}
	errs = append(errs, duplicates(path.Child("zones"), s.Zones)...)
	errs = append(errs, s.validateNetwork(path)...)
	for i, t := range s.InstanceTypes {
		errs = append(errs, t.validate(path.Child("instanceTypes").Index(i))...)
	}
	var names []string
	for i, g := range s.Groups {
		at := path.Child("groups").Index(i)
		errs = append(errs, g.withDefaults(s).validate(at, s)...)
		if slices.Contains(names, g.Name) {
			errs = append(errs, field.Duplicate(at.Child("name"), g.Name))
		}
		names = append(names, g.Name)
	}
	return errs
}

func (t InstanceType) validate(path *field.Path) field.ErrorList {
	var errs field.ErrorList
	if t.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), ""))
	}
	errs = append(errs, positive(path.Child("cpu"), t.CPU)...)
	errs = append(errs, positive(path.Child("memory"), t.Memory)...)
	for field, list := range map[string]map[string]string{"capacity": t.Capacity, "allocatable": t.Allocatable} {
		for _, name := range slices.Sorted(maps.Keys(list)) {
			errs = append(errs, quantity(path.Child(field).Key(name), list[name])...)
		}
	}
	for name, number := range map[string]int{
		"pods": t.Pods, "volumes": t.Volumes,
		"maximumNetworkInterfaces": t.MaximumNetworkInterfaces, "ipv4AddressesPerInterface": t.IPv4AddressesPerInterface,
	} {
		if number < 0 {
			errs = append(errs, field.Invalid(path.Child(name), number, "must not be negative"))
		}
	}
	return errs
}

// validate expects defaults to be filled in.
func (g GroupSpec) validate(path *field.Path, region Spec) field.ErrorList {
	var errs field.ErrorList
	if g.Name == "" {
		errs = append(errs, field.Required(path.Child("name"), ""))
	}
	if _, known := region.instanceType(g.InstanceType); !known {
		errs = append(errs, field.NotFound(path.Child("instanceType"), g.InstanceType))
	}
	errs = append(errs, subset(path.Child("zones"), g.Zones, region.Zones)...)
	errs = append(errs, subset(path.Child("zoneOrder"), g.ZoneOrder, g.Zones)...)
	errs = append(errs, g.validateSubnets(path, region)...)
	if fault := boundsFault(g.Min, g.Max); fault != "" {
		errs = append(errs, field.Invalid(path.Child("max"), g.Max, fault))
	} else if fault := desiredFault(g.Min, g.Desired, g.Max); fault != "" {
		errs = append(errs, field.Invalid(path.Child("desired"), g.Desired, fault))
	}
	if g.BootDelay != nil && g.BootDelay.Duration < 0 {
		errs = append(errs, field.Invalid(path.Child("bootDelay"), g.BootDelay.Duration.String(), "must not be negative"))
	}
	errs = append(errs, g.NodeRepair.validate(path.Child("nodeRepairConfig"))...)
	for i, process := range g.SuspendedProcesses {
		if !slices.Contains(processes, process) {
			errs = append(errs, field.NotSupported(path.Child("suspendedProcesses").Index(i), process, processes))
		}
	}
	return errs
}

// boundsFault and desiredFault are what is wrong, in the words of UpdateAutoScalingGroup; empty if nothing is.
func boundsFault(lowest, highest int) string {
	if lowest < 0 {
		return fmt.Sprintf("Min bound, %d, must be greater than or equal to 0", lowest)
	}
	if highest < lowest {
		return fmt.Sprintf("Max bound, %d, must be greater than or equal to min bound, %d", highest, lowest)
	}
	return ""
}

func desiredFault(lowest, desired, highest int) string {
	if desired < lowest || desired > highest {
		return fmt.Sprintf("Desired capacity:%d must be between the specified min size:%d and max size:%d", desired, lowest, highest)
	}
	return ""
}

func quantity(path *field.Path, value string) field.ErrorList {
	if _, err := resource.ParseQuantity(value); err != nil {
		return field.ErrorList{field.Invalid(path, value, err.Error())}
	}
	return nil
}

func positive(path *field.Path, quantity string) field.ErrorList {
	q, err := resource.ParseQuantity(quantity)
	if err != nil {
		return field.ErrorList{field.Invalid(path, quantity, err.Error())}
	}
	if q.Sign() <= 0 {
		return field.ErrorList{field.Invalid(path, quantity, "must be greater than zero")}
	}
	return nil
}

func subset(path *field.Path, values, of []string) field.ErrorList {
	errs := duplicates(path, values)
	for i, value := range values {
		if !slices.Contains(of, value) {
			errs = append(errs, field.NotSupported(path.Index(i), value, of))
		}
	}
	return errs
}

func duplicates(path *field.Path, values []string) field.ErrorList {
	var errs field.ErrorList
	for i, value := range values {
		if slices.Index(values, value) != i {
			errs = append(errs, field.Duplicate(path.Index(i), value))
		}
	}
	return errs
}
