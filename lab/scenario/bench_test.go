package scenario

import "testing"

// BenchmarkParse reads a scenario with two passes: what `naosu-lab run` does before it starts anything.
func BenchmarkParse(b *testing.B) {
	text := []byte(validScenario(b))
	for b.Loop() {
		if _, err := Parse("sound.yaml", text); err != nil {
			b.Fatal(err)
		}
	}
}
