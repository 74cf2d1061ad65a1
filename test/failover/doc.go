// Package failover runs a whole naosu, the shipped controller and a shipped agent on each of four nodes, and breaks machines, processes and
// networks under it: pods of a machine that is off are replaced within seconds, and nothing else is.
//
// Everything runs in one process with network, mount and PID namespaces of its own (agenttest.Alone). What is real and what is played:
//
//   - The control plane is real, with Kubernetes' default flags and at real time: heartbeats do not scale.
//
//   - The nodes are the lab's: their kubelets, Leases, statuses and containers are simulated in the test's process.
//
//   - Each node has a network namespace, which is its machine as far as the network goes: one link, with the node's InternalIP, to a bridge
//     through which it reaches the API server, the controller and the other nodes. Its boot ID is the Node's.
//
//   - In it runs the shipped naosu-agent, with the token of its pod on the node. What it sees of the host is nearly empty, so that it costs
//     little.
//
//   - The kubelet's port 10250 is played by a process that accepts connections in the node's namespace (portKeeper). The kubelet's unit is
//     the lab's state kubelet-down together with the end of that process: then the kernel of the namespace answers with RST. For kubelets that
//     stop for good, a systemd for each machine runs the process as kubelet.service, and its agent sees and restarts that.
//
//   - The controller has two replicas, as in the chart: one in the namespace of a worker, and one in that of a fourth node. They have the service
//     account, the roles and the admission policies of config/, and each agent has a stream to each.
//
//   - Packets are dropped by nftables where the node's link joins the bridge, without the machine's knowledge. Power is taken by first
//     dropping all packets, so that no FIN or RST goes out, and then killing every process of the namespace.
//
//   - Delay is made by a relay between an agent and the controller: the kernels on which tests run may lack netem.
//
//   - The processes of a machine are paused by SIGSTOP; its kernel still answers. The controller, and the agent of an overloaded machine, are short of
//     CPU by the quota of a cgroup.
//
// Not played: wall clocks that jump (all namespaces of a kernel share CLOCK_REALTIME), machines whose kernels are paused, too, and nodes that are
// short of memory. A machine whose kernel is paused, or that is cut off from all others at once, gives the same signs as one without power, and
// its pods are replaced, too.
package failover
