package cluster

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/naosu-dev/naosu/api/snapshot"
	"github.com/naosu-dev/naosu/internal/cluster/compact"
)

// Write writes the Snapshot as a file that Load reads. Fields that naosu does not use, and the values of environment variables, are left out. Where
// objects have digests of the values, the Key is not written: without it the digests reveal nothing.
func (s *Snapshot) Write(w io.Writer) error {
	header := snapshot.Header{Taken: s.taken, Server: s.server, Anonymized: s.anonymized, Knowledge: map[string]string{}, Applied: s.applied}
	for kind, known := range s.knowledge {
		header.Knowledge[string(kind)] = string(known)
	}
	for part, why := range s.unread {
		if header.Unread == nil {
			header.Unread = map[string]snapshot.Unread{}
		}
		header.Unread[string(part)] = snapshot.Unread{Permission: why.Permission, Reason: string(why.Reason), Detail: why.Detail, Err: why.Err}
	}
	codec := compact.New()
	if s.applied {
		codec, header.Values = compact.NewKeepingApplied(s.values), s.values.KeyID()
	}
	file, err := snapshot.NewWriter(w, header)
	if err != nil {
		return err
	}
	for _, kind := range allKinds() {
		version, name := kind.version().ToAPIVersionAndKind()
		for _, o := range s.Objects(kind) {
			record, err := encode(codec, kind, o.(compact.Object))
			if err != nil {
				return fmt.Errorf("encoding the %s %s: %w", kind, o.GetName(), err)
			}
			record.APIVersion, record.Kind = version, name
			if err := file.Write(record); err != nil {
				return err
			}
		}
	}
	return file.Close()
}

// encode is an object as a file holds it: in JSON if its kind has no protobuf form of its own.
func encode(codec *compact.Codec, kind Kind, o compact.Object) (snapshot.Record, error) {
	if len(forms[kind].served) == 0 {
		data, err := codec.Encode(o)
		return snapshot.Record{Encoding: snapshot.Protobuf, Data: data}, err
	}
	taken, err := codec.Compact(o)
	if err != nil {
		return snapshot.Record{}, err
	}
	data, err := json.Marshal(taken)
	return snapshot.Record{Encoding: snapshot.JSON, Data: data}, err
}
