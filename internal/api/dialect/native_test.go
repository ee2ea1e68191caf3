package dialect

import (
	"testing"

	"confidant/internal/chat"
)

func TestNativeGolden(t *testing.T) {
	golden(t, "native", func(chat.Turn) Encoder { return nativeEncoder{} })
}
