// Package servingcert gives each replica of the controller the TLS certificate of its heartbeat server. The certificate authority is
// naosu's own: its key is in a Secret, and agents take its certificate from a ConfigMap (package record stores both). All replicas
// run the same code at once, and agree through preconditions on what is written.
package servingcert
