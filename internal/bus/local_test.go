package bus_test

import (
	"testing"

	"confidant/internal/bus"
	"confidant/internal/bus/bustest"
	"confidant/internal/chat"
)

func TestLocal(t *testing.T) {
	bustest.Run(t, func(*testing.T) chat.Bus { return bus.NewLocal() })
}
