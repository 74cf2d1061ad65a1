// Package failover is the controller that carries out FailoverPolicies: it reads policies and pods, has internal/failoverpolicy say which
// tolerationSeconds are to be changed, hands each change to internal/action, and writes the policies' status. It reads the cluster from
// the shared watch, and while nothing changes it sends no request.
package failover
