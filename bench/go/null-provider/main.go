// A provider that responds to every call at once and changes nothing. DELETE_MS delays its deletes.
// The provider writes the time of its first Check into the file BENCH_FIRST_CHECK, in ms since 1970.
package main

import (
	"context"
	"fmt"
	"math"
	"net"
	"os"
	"strconv"
	"sync"
	"time"

	pulumirpc "github.com/pulumi/pulumi/sdk/v3/proto/go"
	"google.golang.org/grpc"
	"google.golang.org/protobuf/types/known/emptypb"
)

type nullProvider struct {
	pulumirpc.UnimplementedResourceProviderServer
	deleteDelay    time.Duration
	noteFirstCheck func()
}

func (nullProvider) GetPluginInfo(context.Context, *emptypb.Empty) (*pulumirpc.PluginInfo, error) {
	return &pulumirpc.PluginInfo{Version: "1.0.0"}, nil
}

func (nullProvider) CheckConfig(_ context.Context, request *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	return &pulumirpc.CheckResponse{Inputs: request.News}, nil
}

func (nullProvider) DiffConfig(context.Context, *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_NONE}, nil
}

func (nullProvider) Configure(context.Context, *pulumirpc.ConfigureRequest) (*pulumirpc.ConfigureResponse, error) {
	return &pulumirpc.ConfigureResponse{AcceptSecrets: true}, nil
}

func (provider nullProvider) Check(_ context.Context, request *pulumirpc.CheckRequest) (*pulumirpc.CheckResponse, error) {
	provider.noteFirstCheck()
	return &pulumirpc.CheckResponse{Inputs: request.News}, nil
}

func (nullProvider) Diff(context.Context, *pulumirpc.DiffRequest) (*pulumirpc.DiffResponse, error) {
	return &pulumirpc.DiffResponse{Changes: pulumirpc.DiffResponse_DIFF_NONE}, nil
}

func (nullProvider) Create(_ context.Context, request *pulumirpc.CreateRequest) (*pulumirpc.CreateResponse, error) {
	return &pulumirpc.CreateResponse{Id: "id-" + request.Name, Properties: request.Properties}, nil
}

func (nullProvider) Read(_ context.Context, request *pulumirpc.ReadRequest) (*pulumirpc.ReadResponse, error) {
	return &pulumirpc.ReadResponse{Id: request.Id, Properties: request.Properties, Inputs: request.Inputs}, nil
}

func (provider nullProvider) Delete(context.Context, *pulumirpc.DeleteRequest) (*emptypb.Empty, error) {
	time.Sleep(provider.deleteDelay)
	return &emptypb.Empty{}, nil
}

func (nullProvider) Cancel(context.Context, *emptypb.Empty) (*emptypb.Empty, error) {
	return &emptypb.Empty{}, nil
}

// writeTime writes the current time into a file, if the file has a name.
func writeTime(file string) {
	if file == "" {
		return
	}
	now := strconv.FormatInt(time.Now().UnixMilli(), 10)
	if err := os.WriteFile(file, []byte(now), 0o600); err != nil {
		fmt.Fprintln(os.Stderr, err)
	}
}

func main() {
	delayMs, _ := strconv.Atoi(os.Getenv("DELETE_MS"))
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	server := grpc.NewServer(grpc.MaxRecvMsgSize(400<<20), grpc.MaxConcurrentStreams(math.MaxUint32))
	provider := nullProvider{
		deleteDelay:    time.Duration(delayMs) * time.Millisecond,
		noteFirstCheck: sync.OnceFunc(func() { writeTime(os.Getenv("BENCH_FIRST_CHECK")) }),
	}
	pulumirpc.RegisterResourceProviderServer(server, provider)
	fmt.Printf("%d\n", listener.Addr().(*net.TCPAddr).Port)
	if err := server.Serve(listener); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
