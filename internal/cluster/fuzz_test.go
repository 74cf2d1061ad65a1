package cluster_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/cluster/compact"
)

// FuzzLoad reads whatever there may be from standard input: there is one clear error, or a Snapshot that says the same
// once it was written and read again.
func FuzzLoad(f *testing.F) {
	for _, path := range []string{"testdata/small.yaml"} {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	f.Add([]byte(file(f, cluster.New(cluster.Contents{Objects: clustertest.BigContents(1, 2).Objects}))))
	for _, text := range []string{
		onePod + "---\n" + other, secret, `{"kind": "PodList", "apiVersion": "v1", "items": [{"metadata": {"name": "a"}}]}`, "items:\n- 1\n",
		"apiVersion: v1\nkind: List\nitems:\n" + item("", onePod) + item("", other), `{"items": null}`, "a: &a [*a]", "\ufeff{", "--- # x\n...\n",
	} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) { loadsTheSame(t, string(text)) })
}

// FuzzRecord puts whatever there may be where a snapshot holds an object.
func FuzzRecord(f *testing.F) {
	kinds := cluster.Kinds()
	for i, kind := range kinds {
		for _, o := range clustertest.BigContents(1, 4).Objects {
			object := o.(compact.Object)
			if of, _ := cluster.KindOf(object); of == kind {
				data, err := object.Marshal()
				if err != nil {
					f.Fatal(err)
				}
				f.Add(uint8(i), data)
				break
			}
		}
	}
	f.Fuzz(func(t *testing.T, kind uint8, data []byte) {
		loadsTheSame(t, snapshotOf(t, string(kinds[int(kind)%len(kinds)]), data))
	})
}

// loadsTheSame loads a file from standard input, and what is written of it again.
func loadsTheSame(t *testing.T, text string) {
	t.Helper()
	world, err := cluster.Load(t.Context(), cluster.Source{Path: "-", Stdin: strings.NewReader(text)})
	if err != nil {
		if len(err.Error()) > 4000 {
			t.Errorf("an error of %d bytes: %.300v", len(err.Error()), err)
		}
		return
	}
	path := filepath.Join(t.TempDir(), "f")
	written := file(t, world)
	if err := os.WriteFile(path, []byte(written), 0o600); err != nil {
		t.Fatal(err)
	}
	again, err := cluster.Load(t.Context(), cluster.Source{Path: path})
	if err != nil {
		t.Fatalf("what was written is not read: %v", err)
	}
	if diff := cmp.Diff(written, file(t, again)); diff != "" {
		t.Errorf("written again it is another (-once +twice):\n%s", diff)
	}
}

// FuzzCompact decodes pods piece by piece and as a whole: both make the same of it, but for the values of environment
// variables, the managed fields and what kubectl last applied.
func FuzzCompact(f *testing.F) {
	for _, o := range clustertest.BigContents(2, 8).Objects {
		if pod, ok := o.(*corev1.Pod); ok {
			data, err := pod.Marshal()
			if err != nil {
				f.Fatal(err)
			}
			f.Add(data)
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		var want, got corev1.Pod
		wantErr := want.Unmarshal(data)
		codec := compact.New()
		gotErr := codec.Decode(data, &got)
		if want.Name == "" && wantErr == nil {
			return // It is refused for that.
		}
		if wantErr != nil {
			return // Piece by piece, what is shared may be taken although a later part of it is damaged.
		}
		if gotErr != nil {
			// The generated decoder lets an entry of a map reach beyond its end, which is refused here. What it made of that
			// must be taken as it writes it.
			written, err := want.Marshal()
			if err != nil {
				t.Fatal(err)
			}
			got = corev1.Pod{}
			if err := compact.New().Decode(written, &got); err != nil {
				t.Fatalf("as a whole it is decoded; piece by piece: %v, and as it is written again: %v", gotErr, err)
			}
		}
		want.ManagedFields = nil
		delete(want.Annotations, corev1.LastAppliedConfigAnnotation)
		for _, containers := range [][]corev1.Container{want.Spec.InitContainers, want.Spec.Containers} {
			for _, c := range containers {
				for i := range c.Env {
					c.Env[i].Value = ""
				}
			}
		}
		for _, c := range want.Spec.EphemeralContainers {
			for i := range c.Env {
				c.Env[i].Value = ""
			}
		}
		for i := range want.Spec.Volumes {
			if e := want.Spec.Volumes[i].Ephemeral; e != nil && e.VolumeClaimTemplate != nil {
				e.VolumeClaimTemplate.ManagedFields = nil
				delete(e.VolumeClaimTemplate.Annotations, corev1.LastAppliedConfigAnnotation)
			}
		}
		wanted, err := want.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := got.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(wanted, decoded); diff != "" {
			t.Errorf("(-as a whole +piece by piece):\n%s", diff)
		}
	})
}
