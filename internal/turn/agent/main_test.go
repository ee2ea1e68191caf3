package agent

import (
	"testing"

	"confidant/internal/obs/obstest"
)

func TestMain(m *testing.M) {
	obstest.Quiet()
	m.Run()
}
