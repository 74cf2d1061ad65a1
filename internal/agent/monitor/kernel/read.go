package kernel

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// fields reads the words of a small file of the host.
func fields(h host.Host, path string, atLeast int) ([]string, error) {
	text, err := os.ReadFile(h.Path(path))
	if err != nil {
		return nil, err
	}
	words := strings.Fields(string(text))
	if len(words) < atLeast {
		return nil, fmt.Errorf("read %s: %w: %q", path, errFormat, text)
	}
	return words, nil
}

// number reads a file of the host that holds one number.
func number(h host.Host, path string) (int64, error) {
	words, err := fields(h, path, 1)
	if err != nil {
		return 0, err
	}
	n, err := strconv.ParseInt(words[0], 10, 64)
	if err != nil {
		return 0, fmt.Errorf("read %s: %w", path, err)
	}
	return n, nil
}

// hostPath is the path on the host of a file that was found by host.Path.
func hostPath(h host.Host, file string) string {
	return filepath.Join("/", strings.TrimPrefix(file, h.Path("/")))
}

// reached says whether used is at least that share of limit. It does not overflow: file-max may be the largest int64.
func (p Percent) reached(used, limit int64) bool {
	return limit > 0 && float64(used) >= float64(limit)*float64(p)/100
}

func fault(id reason.ID, entity, source, raw string) evidence.Evidence {
	return evidence.Evidence{Reason: id, Entity: entity, State: evidence.Fault, Source: source, Raw: raw}
}

func inapplicable(id reason.ID, source, why string) evidence.Evidence {
	return evidence.Evidence{Reason: id, State: evidence.Inapplicable, Source: source, Raw: why}
}

func unreadable(id reason.ID, source, why string) evidence.Evidence {
	return evidence.Evidence{Reason: id, State: evidence.Unreadable, Source: source, Raw: why}
}
