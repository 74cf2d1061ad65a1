// Package admission says why the API server would reject an object, with the API server's messages: by Kubernetes' validation, and by the
// admission plugins that every cluster has. Its functions take objects and no cluster, and it is the only package that links Kubernetes'
// validation (docs/adr/0009).
package admission
