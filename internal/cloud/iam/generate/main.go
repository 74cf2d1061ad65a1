// Command generate writes the IAM policies to config/iam and into the pages of docs.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/naosu-dev/naosu/internal/cloud/iam"
)

func main() {
	if err := write(os.Args[1]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

// write writes the policies below the root of the repository.
func write(root string) error {
	for _, p := range iam.Policies {
		if err := os.WriteFile(filepath.Join(root, "config", "iam", p.Name+".json"), []byte(p.JSON()), 0o644); err != nil {
			return err
		}
	}
	for page, names := range iam.Pages {
		for _, language := range []string{"en", "ja"} {
			path := filepath.Join(root, "docs", language, page)
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			inserted, err := iam.Insert(string(text), iam.Named(names...)...)
			if err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if err := os.WriteFile(path, []byte(inserted), 0o644); err != nil {
				return err
			}
		}
	}
	return nil
}
