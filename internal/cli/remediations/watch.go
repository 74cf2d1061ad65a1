package remediations

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// watching is a watch of Remediations, and what it has written.
type watching struct {
	*Options
	objects connect.Objects
	// written is the resourceVersion in which each was written last, by name; nil before the first answer.
	written map[string]string
	// page and rows are where people read them; documents counts what was written as data.
	page      *output.Page
	rows      *output.Rows
	documents int
}

// watch writes those that exist, the youngest first, and then each that changes, as kubectl get --watch does, until the context ends. The
// API server ends watches now and then: another begins with what has changed meanwhile.
func (o *Options) watch(ctx context.Context, objects connect.Objects) error {
	w := &watching{Options: o, objects: objects}
	for {
		version, err := w.list(ctx)
		if err == nil {
			err = w.follow(ctx, version)
		}
		switch {
		case ctx.Err() != nil:
			return nil //nolint:nilerr // The person has seen enough.
		case err != nil && !apierrors.IsResourceExpired(err) && !apierrors.IsGone(err):
			return err
		}
	}
}

// selector is what is listed and watched.
func (w *watching) selector() []client.ListOption {
	if w.Name == "" {
		return nil
	}
	return []client.ListOption{client.MatchingFields{"metadata.name": w.Name}}
}

// list writes those that exist and have changed, and returns the resourceVersion to watch from.
func (w *watching) list(ctx context.Context) (string, error) {
	var all v1alpha1.RemediationList
	switch err := w.objects.List(ctx, &all, w.selector()...); {
	case meta.IsNoMatchError(err):
		return "", exit.Failure(sentence.CheckNoCRDs())
	case err != nil:
		return "", exit.Talking(w.objects.Host, err)
	case w.written == nil && w.Name != "" && len(all.Items) == 0:
		return "", exit.BadInput("name", sentence.ApproveGone(w.Name), sentence.ApproveRemedy())
	}
	var changed []v1alpha1.Remediation
	for _, r := range listedOf(all.Items, nil).Remediations {
		if w.written[r.Name] != r.ResourceVersion {
			changed = append(changed, r)
		}
	}
	if w.written == nil {
		w.written = map[string]string{}
		if len(changed) == 0 && w.Format.ForPeople() {
			page := w.Format.Page(w.ErrOut)
			page.Paragraph("", w.Say.Say(sentence.RemediationsNone()), output.Plain)
		}
	}
	return all.ResourceVersion, w.write(changed...)
}

// follow writes each change from a resourceVersion on, until the watch ends.
func (w *watching) follow(ctx context.Context, version string) error {
	options := append(w.selector(), &client.ListOptions{Raw: &metav1.ListOptions{ResourceVersion: version}})
	changes, err := w.objects.Watch(ctx, &v1alpha1.RemediationList{}, options...)
	if err != nil {
		return exit.Talking(w.objects.Host, err)
	}
	defer changes.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case event, open := <-changes.ResultChan():
			if !open {
				return nil
			}
			if event.Type == watch.Error {
				return exit.Talking(w.objects.Host, apierrors.FromObject(event.Object))
			}
			if r, is := event.Object.(*v1alpha1.Remediation); is {
				if err := w.write(*r); err != nil {
					return err
				}
			}
		}
	}
}

// write writes Remediations, each as a row or as a document of its own.
func (w *watching) write(all ...v1alpha1.Remediation) error {
	for i := range all {
		w.written[all[i].Name] = all[i].ResourceVersion
	}
	if w.Format.ForPeople() {
		return w.writeRows(all)
	}
	for i := range all {
		all[i].SetGroupVersionKind(v1alpha1.GroupVersion.WithKind("Remediation"))
		if err := w.Format.WriteDocument(w.Out, w.Say, w.documents, all[i]); err != nil {
			return err
		}
		w.documents++
	}
	return nil
}

// writeRows writes Remediations in a table that goes on.
func (w *watching) writeRows(all []v1alpha1.Remediation) error {
	if len(all) == 0 {
		return nil
	}
	if w.page == nil {
		w.page = w.Format.Page(w.Out)
		w.rows = w.page.Rows("", heads(w.page))
	}
	var rows [][]string
	for i := range all {
		rows = append(rows, row(w.page, &all[i], w.Clock.Now()))
	}
	w.rows.Write(rows...)
	return failed(w.page)
}
