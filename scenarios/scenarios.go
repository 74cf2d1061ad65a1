// Package scenarios holds the incidents that naosu is measured by, one YAML file each. docs/en/scenarios.md describes the
// format.
package scenarios

import "embed"

// Files are the incidents, by file name.
//
//go:embed *.yaml
var Files embed.FS
