// Code generated from catalogue.yaml. DO NOT EDIT.

package reason

import "time"

const (
	// InterfaceNotUp: A network interface of the node is administratively down.
	InterfaceNotUp ID = "InterfaceNotUp"
)

// Catalogue is every reason, sorted by condition and name.
var Catalogue = []Reason{
	{
		ID: InterfaceNotUp, Condition: NetworkingReady, Severity: Fatal, Action: Replace,
		Entity: "interface",
		Means: Words{
			EN: "A network interface of the node is administratively down.",
			JA: "ノードのネットワークインターフェイスが管理上ダウンしています。",
		},
		Needs:  Needs{For: 10 * second},
		Clears: Clears{For: 10 * second},
	},
}

// The durations of the catalogue, in the largest unit that is whole.
const (
	second = time.Second
	minute = time.Minute
	hour   = time.Hour
)
