// Package profile makes the scheduler's framework and plugins from a KubeSchedulerConfiguration, one set for each of its profiles.
package profile
