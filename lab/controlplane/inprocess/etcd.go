package inprocess

import (
	"context"
	"errors"
	"flag"
	"io"
	"net/url"
	"runtime"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

// etcdConfig is a single member that only this process can reach, through a socket in a private folder. It does not wait
// for the disk unless flags demand it: what a power cut would lose, a lab can lose.
func etcdConfig(f *folder, flags []string) (*embed.Config, error) {
	config := embed.NewConfig()
	config.Name = "naosu-lab"
	config.Dir = f.etcd()
	config.ListenClientUrls = []url.URL{{Scheme: "unix", Path: f.socket()}} // the advertised default is not used
	config.ListenPeerUrls = nil
	config.InitialCluster = config.InitialClusterFromName(config.Name)
	config.TickMs, config.ElectionMs = 50, 250                                    // a single member need not wait for other candidates
	config.WarningUnaryRequestDuration = embed.DefaultWarningUnaryRequestDuration // zero otherwise, which is a log line a request
	config.ZapLoggerBuilder = embed.NewZapLoggerBuilder(etcdLogger())

	set := flag.NewFlagSet(string(controlplane.Etcd), flag.ContinueOnError)
	set.SetOutput(io.Discard)
	config.AddFlags(set)
	config.UnsafeNoFsync = true // after AddFlags, which sets it to the flag's default
	return config, set.Parse(flags)
}

// etcdLogger ends the goroutine where etcd would end the process, after telling the plane.
func etcdLogger() *zap.Logger {
	format := zap.NewProductionEncoderConfig()
	format.EncodeTime = zapcore.ISO8601TimeEncoder
	encoder := zapcore.NewConsoleEncoder(format)
	core := zapcore.NewCore(encoder, zapcore.AddSync(components), zap.WarnLevel)
	return zap.New(core, zap.WithFatalHook(fatalHook{}), zap.WithPanicHook(fatalHook{}))
}

type fatalHook struct{}

func (fatalHook) OnWrite(entry *zapcore.CheckedEntry, fields []zapcore.Field) {
	values := zapcore.NewMapObjectEncoder()
	for _, field := range fields {
		field.AddTo(values)
	}
	err := errors.New(entry.Message)
	if cause, is := values.Fields["error"].(string); is {
		err = errors.New(entry.Message + ": " + cause)
	}
	inProcess.fatal(controlplane.Etcd, err)
	runtime.Goexit()
}

func (p *local) runEtcd(ctx context.Context, ready func()) error {
	config, err := etcdConfig(p.folder, p.flags[controlplane.Etcd])
	if err != nil {
		return err
	}
	if err := verify(config.Dir); err != nil {
		return err
	}
	config.GRPCAdditionalServerOptions = []grpc.ServerOption{grpc.ChainStreamInterceptor(endStreams(ctx))}
	server, err := embed.StartEtcd(config)
	if err != nil {
		return err
	}
	defer server.Close()
	select {
	case <-server.Server.ReadyNotify():
		ready()
	case <-ctx.Done():
		return nil
	case err := <-server.Err():
		return err
	}
	select {
	case <-ctx.Done():
		return nil
	case <-server.Server.StopNotify():
		return errEnded
	case err := <-server.Err():
		return err
	}
}

// endStreams ends watches when the context does. Left to itself, etcd waits five seconds for its clients to end them.
func endStreams(ctx context.Context) grpc.StreamServerInterceptor {
	return func(service any, stream grpc.ServerStream, _ *grpc.StreamServerInfo, handle grpc.StreamHandler) error {
		both, cancel := context.WithCancel(stream.Context())
		defer cancel()
		defer context.AfterFunc(ctx, cancel)()
		return handle(service, endedStream{stream, both})
	}
}

type endedStream struct {
	grpc.ServerStream
	ctx context.Context
}

func (s endedStream) Context() context.Context { return s.ctx }

// SendMsg fails once the stream has ended, as gRPC's own streams do. etcd has closed the stream's watches by then, and answers a
// request for another watch that it was created and cancelled. etcd's client can wait forever for a watch that was answered so
// before its stream failed (go.etcd.io/etcd/client/v3, addSubstream and run), and an API server then does not stop.
func (s endedStream) SendMsg(message any) error {
	if err := s.ctx.Err(); err != nil {
		return status.FromContextError(err).Err()
	}
	return s.ServerStream.SendMsg(message)
}
