// Command cmd runs the scripted model server, so that the whole product can be
// tried without a language model:
//
//	go run ./internal/llm/modelserver/cmd --listen 127.0.0.1:8421
//	OPENAI_BASE_URL=http://127.0.0.1:8421/v1 OPENAI_API_KEY=any confidant serve
package main

import (
	"context"
	"errors"
	"flag"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"

	"confidant/internal/llm/modelserver"
)

func main() {
	listen := flag.String("listen", "127.0.0.1:8421", "the address to listen on")
	pace := flag.Duration("pace", 20*time.Millisecond, "the pause between the words of an answer")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ctx, *listen, *pace); err != nil {
		log.Fatal(err)
	}
}

// serve runs the server until the context ends.
func serve(ctx context.Context, listen string, pace time.Duration) error {
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		return err
	}
	handler := modelserver.New()
	handler.Pace = pace
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() }) // what it was saying is of no value
	log.Printf("a scripted model answers at http://%s/v1", listener.Addr())
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}
