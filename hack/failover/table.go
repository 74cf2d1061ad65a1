package main

import (
	"fmt"
	"math"
	"strings"
)

// The languages of the table.
const (
	english  = "en"
	japanese = "ja"
)

// row is one of the table: what replaces the pods, and what it does after the loss of power and after the stop of the kubelet.
type row struct {
	title, off, down cell
}

// cell is a text in each language, with the figure of a span in place of %s, if there is one.
type cell struct {
	en, ja string
	of     span
}

func seconds(of span) cell { return cell{"%s", "%s", of} }

const test = "[test/failover](../../test/failover/doc.go)"

var rows = []row{
	{
		cell{en: "From the fault until the pods are replaced", ja: "障害の発生から、Pod が置き換えられるまで"},
		cell{en: "Power off", ja: "電源断"},
		cell{en: "Kubelet stopped", ja: "kubelet の停止"},
	},
	{cell{en: "---", ja: "---"}, cell{en: "---", ja: "---"}, cell{en: "---", ja: "---"}},
	{cell{en: "Kubernetes alone", ja: "Kubernetes のみ"}, seconds(aloneOff), seconds(aloneKubelet)},
	{cell{en: "`unreachableSeconds: 60`", ja: "`unreachableSeconds: 60`"}, seconds(sixtyOff), seconds(sixtyDown)},
	{cell{en: "`unreachableSeconds: 30`", ja: "`unreachableSeconds: 30`"}, seconds(thirtyOff), seconds(thirtyDown)},
	{
		cell{
			en: "`replaceOnSilence: Replicated`, bound to other nodes (" + test + ", real agents)",
			ja: "`replaceOnSilence: Replicated`。ほかのノードに割り当てられるまで (" + test + "、実際のエージェント)",
		},
		seconds(silentOff),
		cell{en: "not replaced on silence", ja: "応答なしとしては置き換えない"},
	},
	{
		cell{en: "The same with 30 pods on the node that are replaced", ja: "同上。置き換えられる Pod がノードに 30 個ある場合"},
		seconds(silentOff30),
		cell{en: "not replaced on silence", ja: "応答なしとしては置き換えない"},
	},
	{
		cell{en: "The same with 110 pods, as many as a node runs by default", ja: "同上。Pod が 110 個 (ノードのデフォルトの上限) の場合"},
		seconds(silentOff110),
		cell{en: "not replaced on silence", ja: "応答なしとしては置き換えない"},
	},
	{
		cell{en: "The same, where the controller that leads runs on the node", ja: "同上。リーダーのコントローラーがそのノードで動作していた場合"},
		seconds(silentLeader),
		cell{en: "not replaced on silence", ja: "応答なしとしては置き換えない"},
	},
	{
		cell{
			en: "`outOfService: WhenOff`, until the volume of a stopped instance is attached to another node (the same test)",
			ja: "`outOfService: WhenOff`。停止したインスタンスのボリュームがほかのノードにアタッチされるまで (同じテスト)",
		},
		seconds(volumeAway),
		cell{en: "does not apply", ja: "対象外"},
	},
	{
		cell{
			en: "The same, from when the node is not ready and the machine is proven to be off",
			ja: "同上。ノードが Ready でなくなり、マシンの停止が証明されてから",
		},
		seconds(volumeReleased),
		cell{en: "does not apply", ja: "対象外"},
	},
	{
		cell{en: "A NodeRepairPolicy that restarts the kubelet (the same test)", ja: "kubelet を再起動する NodeRepairPolicy (同じテスト)"},
		cell{en: "does not apply", ja: "対象外"},
		cell{"none is replaced; the node reports Ready after %s", "置き換えられる Pod はなく、%s後にノードが Ready と報告", kubeletRestart},
	},
}

// table is the figures in Markdown.
func table(all figures, lang string) string {
	var b strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", r.title.text(all, lang), r.off.text(all, lang), r.down.text(all, lang))
	}
	return b.String()
}

func (c cell) text(all figures, lang string) string {
	text, format := c.en, "%.0f s"
	if lang == japanese {
		text, format = c.ja, "%.0f 秒"
	}
	if c.of == (span{}) {
		return text
	}
	return fmt.Sprintf(text, fmt.Sprintf(format, math.Round(all[c.of])))
}
