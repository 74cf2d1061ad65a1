package heartbeat

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"github.com/naosu-dev/naosu/internal/heartbeat"
)

const (
	// framesAtOnce and framesPerSecond bound the frames of a stream: an agent sends one a second, its answers, and what a network held back.
	framesAtOnce    = 120
	framesPerSecond = 20
	// maxQueued bounds the frames that wait to be written to a stream.
	maxQueued = 16
	// maxProbes bounds the probes of a stream without an answer.
	maxProbes = 64
)

// errFlood is why a stream ends whose agent sends too many frames.
var errFlood = fmt.Errorf("more than %d frames a second", framesPerSecond)

// stream is one request of an agent. Its reader is the request's handler. Its writer runs only while frames wait to be written: a goroutine for
// each of 5,000 streams would hold memory.
type stream struct {
	node   node
	bootID string
	opened time.Time
	conn   *conn
	writer http.ResponseWriter

	beat atomic.Int64 // When the last frame was received, as the time since opened; 0 before the first.

	mu      sync.Mutex
	ended   Ended
	closed  bool // Nothing may be written any more.
	queue   [][]byte
	writing bool
	probes  map[uint64]chan<- heartbeat.Frame
	lastID  uint64
	done    chan struct{} // Closed with the stream.
	writers sync.WaitGroup
}

// read reads frames until the stream ends, and returns why.
func (s *stream) read(frames *heartbeat.Reader) error {
	limit := rate.NewLimiter(framesPerSecond, framesAtOnce)
	for {
		f, err := frames.Next()
		if err != nil {
			return err
		}
		if !limit.Allow() {
			return errFlood
		}
		s.beat.Store(int64(time.Since(s.opened)))
		switch f.Type {
		case heartbeat.Goodbye:
			s.end(Goodbye)
		case heartbeat.Answer:
			s.answered(f)
		case heartbeat.Heartbeat, heartbeat.Probe:
		}
	}
}

// end notes how the stream has ended, unless that is known.
func (s *stream) end(how Ended) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended == "" {
		s.ended = how
	}
}

// close ends the writing, and waits for the writer.
func (s *stream) close() {
	s.mu.Lock()
	s.closed, s.queue, s.probes = true, nil, nil
	writing := s.writing
	s.mu.Unlock()
	close(s.done)
	if writing { // It would otherwise wait for as long as the connection lasts.
		_ = http.NewResponseController(s.writer).SetWriteDeadline(past)
	}
	s.writers.Wait()
}

// past is a deadline that has passed.
var past = time.Unix(1, 0)

// state is what is known of the stream.
func (s *stream) state() Stream {
	last := s.opened.Add(time.Duration(s.beat.Load()))
	s.mu.Lock()
	defer s.mu.Unlock()
	return Stream{Node: s.node.name, UID: s.node.uid, BootID: s.bootID, Opened: s.opened, LastBeat: last, Ended: s.ended}
}

// send queues a frame, and does not wait for the other side. The caller has locked mu.
func (s *stream) send(f heartbeat.Frame) error {
	if s.closed {
		return ErrNoStream
	}
	if len(s.queue) >= maxQueued {
		return fmt.Errorf("%d frames wait to be written", maxQueued)
	}
	s.queue = append(s.queue, f.Encode())
	if !s.writing {
		s.writing = true
		s.writers.Go(s.write)
	}
	return nil
}

// write writes the queue until it is empty.
func (s *stream) write() {
	for {
		s.mu.Lock()
		if len(s.queue) == 0 {
			s.queue, s.writing = nil, false
			s.mu.Unlock()
			return
		}
		line := s.queue[0]
		s.queue = s.queue[1:]
		s.mu.Unlock()
		// An error ends the connection, and with it the reader.
		if _, err := s.writer.Write(line); err == nil {
			_ = http.NewResponseController(s.writer).Flush()
		}
	}
}

// probe asks the agent to connect to an address, and waits for its answer.
func (s *stream) probe(ctx context.Context, address string) (heartbeat.Frame, error) {
	id, answer, err := s.ask(address)
	if err != nil {
		return heartbeat.Frame{}, err
	}
	select {
	case f := <-answer:
		return f, nil
	case <-s.done:
		return heartbeat.Frame{}, ErrNoStream
	case <-ctx.Done():
		s.mu.Lock()
		delete(s.probes, id)
		s.mu.Unlock()
		return heartbeat.Frame{}, ctx.Err()
	}
}

func (s *stream) ask(address string) (uint64, <-chan heartbeat.Frame, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.probes) >= maxProbes {
		return 0, nil, fmt.Errorf("%d probes have no answer yet", maxProbes)
	}
	s.lastID++
	if err := s.send(heartbeat.Frame{Type: heartbeat.Probe, ID: s.lastID, Address: address}); err != nil {
		return 0, nil, err
	}
	if s.probes == nil {
		s.probes = map[uint64]chan<- heartbeat.Frame{}
	}
	answer := make(chan heartbeat.Frame, 1)
	s.probes[s.lastID] = answer
	return s.lastID, answer, nil
}

// answered passes on the answer to a probe. Others are ignored.
func (s *stream) answered(f heartbeat.Frame) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if answer, asked := s.probes[f.ID]; asked {
		delete(s.probes, f.ID)
		answer <- f
	}
}
