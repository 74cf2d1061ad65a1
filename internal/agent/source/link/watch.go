package link

import (
	"context"
	"errors"
	"fmt"

	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"
)

// Watch calls changed whenever a link with a wanted name appears, changes or goes, and when so many did that the kernel
// dropped the news. It returns when ctx ends, or with an error when there can be no more news.
func Watch(ctx context.Context, wanted func(name string) bool, changed func()) error {
	socket, err := nl.Subscribe(unix.NETLINK_ROUTE, unix.RTNLGRP_LINK)
	if err != nil {
		return fmt.Errorf("subscribe to changes of links: %w", err)
	}
	defer context.AfterFunc(ctx, socket.Close)()
	defer socket.Close()
	changed() // What happened before the subscription is no news any more.
	for {
		messages, _, err := socket.Receive()
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, unix.ENOBUFS):
			changed()
			continue
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return fmt.Errorf("receive changes of links: %w", err)
		}
		for _, m := range messages {
			if l, ok := parse(m.Data); ok && wanted(l.Name) {
				changed()
				break
			}
		}
	}
}
