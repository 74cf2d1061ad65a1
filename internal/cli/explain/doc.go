// Package explain is the verb `naosu explain`: what a finding's code means, from the catalogue.
package explain
