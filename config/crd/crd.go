// Package crd holds naosu's custom resource definitions as they are shipped. They are generated from api/v1alpha1.
package crd

import (
	"bytes"
	"embed"
)

//go:embed *.yaml
var files embed.FS

// YAML is every definition, each a document that begins with its own separator.
func YAML() []byte {
	var all bytes.Buffer
	entries, err := files.ReadDir(".")
	for _, entry := range entries {
		var data []byte
		if data, err = files.ReadFile(entry.Name()); err != nil {
			break
		}
		all.Write(data)
	}
	if err != nil {
		panic("crd: " + err.Error()) // What is embedded can be read.
	}
	return all.Bytes()
}
