package words

import (
	"path"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// japanese is where Japanese texts are.
var japanese = []string{"internal/message/ja_*.go", "internal/message/codes/ja/*.md", "docs/ja/*.md"}

// The page that lists the variants has them.
const japaneseGlossary = "docs/ja/glossary.md"

// One term is written in one way in all Japanese texts.
func TestJapaneseVariants(t *testing.T) {
	unwanted := variants(read(t, japaneseGlossary))
	if len(unwanted) < 20 {
		t.Fatalf("%s lists %d variants", japaneseGlossary, len(unwanted))
	}
	for _, name := range files(t, japanese...) {
		if name == japaneseGlossary {
			continue
		}
		for i, line := range strings.Split(read(t, name), "\n") {
			for _, v := range unwanted {
				if v.in(path.Base(name), line) {
					t.Errorf("%s:%d: %s: %s is to be written %s", name, i+1, strings.TrimSpace(line), v.unwanted, v.wanted)
				}
			}
		}
	}
}

// variant is a way to write a term that is not used, and the one that is. Exceptions are longer words that contain it, and pages on which it
// means something else.
type variant struct {
	unwanted, wanted string
	exceptions       []string
}

// variants are the rows of the table of unwanted ones.
func variants(page string) []variant {
	_, table, _ := strings.Cut(page, "\n## 使わない表記\n")
	table, _, _ = strings.Cut(table, "\n## ")
	var found []variant
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
		if len(cells) != 3 {
			continue
		}
		v := variant{strings.TrimSpace(cells[0]), strings.TrimSpace(cells[1]), strings.FieldsFunc(strings.TrimSpace(cells[2]), func(r rune) bool { return r == '、' })}
		if v.unwanted != "使わない" && !strings.HasPrefix(v.unwanted, "---") {
			found = append(found, v)
		}
	}
	return found
}

// in reports whether a line of a page has the variant, and not only as a part of the term as it is wanted or of an exception.
func (v variant) in(page, line string) bool {
	if slices.Contains(v.exceptions, page) {
		return false
	}
	for _, allowed := range v.exceptions {
		line = strings.ReplaceAll(line, allowed, "")
	}
	if strings.Contains(v.unwanted, v.wanted) {
		return strings.Contains(line, v.unwanted)
	}
	return strings.Contains(strings.ReplaceAll(line, v.wanted, ""), v.unwanted)
}

func TestVariants(t *testing.T) {
	page := "# x\n| ポッド | - | |\n\n## 使わない表記\n\n左の。\n\n| 使わない | 使う | 例外 |\n|---|---|---|\n| サーバ | サーバー | |\n| メモリー | メモリ | |\n| 修理 | 修復 | |\n" +
		"| チェック | 検査 | ヘルスチェック、チェックサム |\n| ステップ | 手順 | scenarios.md |\n\n## more\n\n| a | b | c |\n"
	got := variants(page)
	want := []variant{{"サーバ", "サーバー", nil}, {"メモリー", "メモリ", nil}, {"修理", "修復", nil}, {"チェック", "検査", []string{"ヘルスチェック", "チェックサム"}}, {"ステップ", "手順", []string{"scenarios.md"}}}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(variant{}), cmpopts.EquateEmpty()); diff != "" {
		t.Fatalf("variants (-want +got):\n%s", diff)
	}
	for line, unwanted := range map[string]bool{
		"API サーバーは答えません。": false, "API サーバは答えません。": true, "サーバーとサーバ": true, "修復を修理する": true, "メモリが足りません": false, "メモリーとメモリ": true, "何もない": false,
		"ヘルスチェックとチェックサム": false, "ヘルスチェックとチェック": true, "次のステップ": true,
	} {
		if found := slices.ContainsFunc(want, func(v variant) bool { return v.in("policy.md", line) }); found != unwanted {
			t.Errorf("%s: %t", line, found)
		}
	}
	if slices.ContainsFunc(want, func(v variant) bool { return v.in("scenarios.md", "次のステップ") }) {
		t.Error("a page that is an exception is not one")
	}
}

// The words of naosu's own are in both glossaries.
func TestKeptWords(t *testing.T) {
	for _, name := range []string{"docs/en/glossary.md", japaneseGlossary} {
		text := read(t, name)
		for _, word := range []string{"guard", "ledger", "drill", "twin", "world", "judge", "fate", "remedy", "lab", "scenario"} {
			if strings.Count(text, "\n| "+word+" |") != 1 {
				t.Errorf("%s does not define %s once", name, word)
			}
		}
	}
}
