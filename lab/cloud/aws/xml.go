package aws

import (
	"bytes"
	"encoding/xml"
	"net/http"
	"time"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// timestamp is a moment as AWS writes it in XML, to the second.
type timestamp time.Time

// MarshalText writes it.
func (t timestamp) MarshalText() ([]byte, error) {
	return []byte(time.Time(t).UTC().Format("2006-01-02T15:04:05.000Z")), nil
}

func toSecond(t time.Time) timestamp { return timestamp(t.Truncate(time.Second)) }

// items are a list in EC2's XML, and members in that of the query protocol.
type (
	items[T any] struct {
		Items []T `xml:"item"`
	}
	members[T any] struct {
		Members []T `xml:"member"`
	}
)

func element(name string, attributes ...xml.Attr) xml.StartElement {
	return xml.StartElement{Name: xml.Name{Local: name}, Attr: attributes}
}

func namespace(url string) xml.Attr { return xml.Attr{Name: xml.Name{Local: "xmlns"}, Value: url} }

// writeXML sends a document. What the lab encodes are its own structs, so that failing is its own mistake.
func writeXML(w http.ResponseWriter, id string, status int, root xml.StartElement, content any) {
	var document bytes.Buffer
	document.WriteString(xml.Header)
	if err := xml.NewEncoder(&document).EncodeElement(content, root); err != nil {
		http.Error(w, "encoding the answer: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/xml;charset=UTF-8")
	w.Header().Set("x-amzn-RequestId", id)
	w.WriteHeader(status)
	_, _ = w.Write(document.Bytes())
}

type xmlFault struct {
	Type    string `xml:"Type,omitempty"`
	Code    string
	Message string
}

// The shapes of an answer and an error in EC2's protocol.
// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/Query-Requests.html
const ec2Namespace = "http://ec2.amazonaws.com/doc/2016-11-15/"

func answerEC2(w http.ResponseWriter, id, action string, result any) {
	writeXML(w, id, http.StatusOK, element(action+"Response", namespace(ec2Namespace)), result)
}

func refuseEC2(w http.ResponseWriter, id string, fault *cloud.Error) {
	writeXML(w, id, statusOf(fault.Code), element("Response"), struct {
		Faults    []xmlFault `xml:"Errors>Error"`
		RequestID string     `xml:"RequestID"`
	}{[]xmlFault{{Code: fault.Code, Message: fault.Message}}, id})
}

// Those of the query protocol, which wraps a result once more.
// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/CommonErrors.html
const autoscalingNamespace = "http://autoscaling.amazonaws.com/doc/2011-01-01/"

func answerQuery(w http.ResponseWriter, id, action string, result any) {
	writeXML(w, id, http.StatusOK, element(action+"Response", namespace(autoscalingNamespace)), queryAnswer{action, id, result})
}

type queryAnswer struct {
	action, id string
	result     any
}

// MarshalXML names the result after its action, and leaves it out where there is none.
func (a queryAnswer) MarshalXML(e *xml.Encoder, root xml.StartElement) error {
	metadata := struct {
		RequestID string `xml:"RequestId"`
	}{a.id}
	for _, step := range []func() error{
		func() error { return e.EncodeToken(root) },
		func() error {
			if a.result == nil {
				return nil
			}
			return e.EncodeElement(a.result, element(a.action+"Result"))
		},
		func() error { return e.EncodeElement(metadata, element("ResponseMetadata")) },
		func() error { return e.EncodeToken(root.End()) },
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func refuseQuery(w http.ResponseWriter, id string, fault *cloud.Error) {
	kind, status := "Sender", statusOf(fault.Code)
	if status >= http.StatusInternalServerError {
		kind = "Receiver"
	}
	writeXML(w, id, status, element("ErrorResponse", namespace(autoscalingNamespace)), struct {
		Fault     xmlFault `xml:"Error"`
		RequestID string   `xml:"RequestId"`
	}{xmlFault{kind, fault.Code, fault.Message}, id})
}
