// Package custom has Go types of kinds that are defined by CustomResourceDefinitions or served by other API servers, with the fields that naosu
// reads. They replace the modules that define the kinds, which would be linked for a few fields. Those of
// NetworkGroup are defined by naosu.
package custom
