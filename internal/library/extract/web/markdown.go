package web

import (
	"context"
	"fmt"
	"strings"

	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/base"
	"github.com/JohannesKaufmann/html-to-markdown/v2/plugin/commonmark"
	"golang.org/x/net/html"
)

// newConverter makes a converter. What it writes is read by people and models and
// never shown as HTML again, so nothing is escaped.
func newConverter() *converter.Converter {
	c := converter.NewConverter(
		converter.WithEscapeMode(converter.EscapeModeDisabled),
		converter.WithPlugins(base.NewBasePlugin(), commonmark.NewCommonmarkPlugin(
			commonmark.WithEmDelimiter("*"), commonmark.WithListEndComment(false))))
	c.Register.RendererFor("table", converter.TagTypeBlock, renderTable, converter.PriorityEarly)
	for _, name := range []string{"strong", "b", "em", "i"} { // emphasis is noise to a search
		c.Register.RendererFor(name, converter.TagTypeInline, renderPlain, converter.PriorityEarly)
	}
	return c
}

func renderPlain(ctx converter.Context, w converter.Writer, n *html.Node) converter.RenderStatus {
	ctx.RenderChildNodes(ctx, w, n)
	return converter.RenderSuccess
}

// markdown writes a tidy document.
func markdown(ctx context.Context, doc *html.Node) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	unframe(doc)
	text, err := newConverter().ConvertNode(doc, converter.WithContext(ctx))
	if err != nil {
		return "", fmt.Errorf("write Markdown: %w", err)
	}
	return strings.TrimSpace(string(text)), nil
}
