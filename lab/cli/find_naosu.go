package cli

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// errNoNaosu is returned where no naosu program is to be found and none was named.
var errNoNaosu = errors.New("--naosu: the naosu program is neither beside this one nor on the PATH; build it with \"make build\", or say where it is")

// findNaosu is the naosu program's file: the one that was named, else one beside this program, else one from the PATH.
func findNaosu(named string) (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding this program: %w", err)
	}
	candidates := []string{filepath.Join(filepath.Dir(self), "naosu"), "naosu"}
	if named != "" {
		candidates = []string{named}
	}
	for _, candidate := range candidates {
		if found, err := exec.LookPath(candidate); err == nil {
			return filepath.Abs(found)
		}
	}
	if named != "" {
		return "", fmt.Errorf("--naosu: %s is not a program", named)
	}
	return "", errNoNaosu
}
