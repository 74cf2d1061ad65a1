package cluster

import (
	"fmt"
	"io"

	"github.com/naosu-dev/naosu/api/snapshot"
	"github.com/naosu-dev/naosu/internal/cluster/intake"
)

// Write writes the Snapshot as a file that Load reads. An object is written without what no question needs, and without
// the values of environment variables, wherever it came from.
func (s *Snapshot) Write(w io.Writer) error {
	header := snapshot.Header{Taken: s.taken, Server: s.server, Anonymized: s.anonymized, Knowledge: map[string]string{}}
	for kind, known := range s.knowledge {
		header.Knowledge[string(kind)] = string(known)
	}
	file, err := snapshot.NewWriter(w, header)
	if err != nil {
		return err
	}
	in := intake.New()
	for _, kind := range Kinds() {
		version, name := kind.version().ToAPIVersionAndKind()
		for _, o := range s.Objects(kind) {
			data, err := in.Encode(o.(intake.Object))
			if err != nil {
				return fmt.Errorf("encoding the %s %s: %w", kind, o.GetName(), err)
			}
			if err := file.Write(snapshot.Record{APIVersion: version, Kind: name, Encoding: snapshot.Protobuf, Data: data}); err != nil {
				return err
			}
		}
	}
	return file.Close()
}
