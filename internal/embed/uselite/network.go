package uselite

import "math"

// network is the encoder ready to run: matrices laid out for the kernels.
type network struct {
	embedding []float32 // embeddedRows × tokenWidth
	timing    []float32 // maxTokens × tokenWidth, added to the embedding
	adjust    linear
	layers    [2]attentionLayer
	head      linear
}

// attentionLayer is one pre-norm transformer layer.
type attentionLayer struct {
	width            int // of its input and its attention
	attentionNorm    layerNorm
	qkv, output      linear
	feedForwardNorm  layerNorm
	expand, contract linear
	queryScale       float32 // 1/√(width/heads)
	headWidth        int
}

func newNetwork(w *Weights) *network {
	n := &network{
		embedding: w.embedding,
		timing:    timingSignal(w.frequencies),
		adjust:    newLinear(w.adjust),
		head:      newLinear(w.head),
	}
	for i, l := range w.layers {
		headWidth := layerWidth(i) / heads
		n.layers[i] = attentionLayer{
			width:           layerWidth(i),
			attentionNorm:   l.attentionNorm,
			qkv:             newLinear(l.qkv),
			output:          newLinear(l.output),
			feedForwardNorm: l.feedForwardNorm,
			expand:          newLinear(l.expand),
			contract:        newLinear(l.contract),
			queryScale:      float32(1 / math.Sqrt(float64(headWidth))),
			headWidth:       headWidth,
		}
	}
	return n
}

// timingSignal tells positions apart: the sines of position × frequency fill the
// first half of a row, the cosines the second.
func timingSignal(frequencies []float32) []float32 {
	signal := make([]float32, maxTokens*tokenWidth)
	for position := range maxTokens {
		row := signal[position*tokenWidth:][:tokenWidth]
		for i, frequency := range frequencies {
			sin, cos := math.Sincos(float64(float32(position) * frequency))
			row[i], row[i+tokenWidth/2] = float32(sin), float32(cos)
		}
	}
	return signal
}

// scratch is the working memory of one text, 1.6 MB.
type scratch struct {
	state  [maxTokens * dimensions]float32  // the residual stream
	narrow [maxTokens * dimensions]float32  // a layer's input or output
	mixed  [maxTokens * dimensions]float32  // what attention gathered
	wide   [maxTokens * hiddenWidth]float32 // queries, keys, values; the hidden layer
	shares [maxTokens]float32               // of attention, of one token
}

// run sets out to the vector of a text of 1 to maxTokens ids.
func (n *network) run(s *scratch, ids []int32, out []float32) {
	tokens := len(ids)
	embedded := s.mixed[:tokens*tokenWidth]
	for position, id := range ids {
		token := n.embedding[int(id)*tokenWidth:][:tokenWidth]
		signal := n.timing[position*tokenWidth:][:tokenWidth]
		row := embedded[position*tokenWidth:][:tokenWidth]
		for i := range row {
			// The published graph adds the embedding a second time, with the signal.
			row[i] = 2*token[i] + signal[i]
		}
	}
	n.adjust.apply(s.state[:], s.mixed[:], tokens)
	n.layers[0].run(s, embedded, tokens)
	n.layers[1].run(s, s.state[:tokens*dimensions], tokens)
	n.finish(s, tokens, out)
}

// run adds the layer's attention over input (tokens × width) and its
// feed-forward net to the state.
func (l *attentionLayer) run(s *scratch, input []float32, tokens int) {
	state := s.state[:tokens*dimensions]

	l.attentionNorm.apply(s.narrow[:], input, l.width)
	l.qkv.apply(s.wide[:], s.narrow[:], tokens)
	l.attend(s, tokens)
	l.output.apply(s.narrow[:], s.mixed[:], tokens)
	add(state, s.narrow[:])

	l.feedForwardNorm.apply(s.narrow[:], state, dimensions)
	l.expand.apply(s.wide[:], s.narrow[:], tokens)
	for i, x := range s.wide[:tokens*hiddenWidth] {
		s.wide[i] = max(x, 0)
	}
	l.contract.apply(s.narrow[:], s.wide[:], tokens)
	add(state, s.narrow[:])
}

// attend mixes the values of all tokens for each token and head: from s.wide
// (tokens × 3·width) to s.mixed (tokens × width).
func (l *attentionLayer) attend(s *scratch, tokens int) {
	stride := 3 * l.width
	clear(s.mixed[:tokens*l.width])
	shares := s.shares[:tokens]
	for head := range heads {
		query, key, value := head*l.headWidth, l.width+head*l.headWidth, 2*l.width+head*l.headWidth
		for t := range tokens {
			q := s.wide[t*stride+query:][:l.headWidth]
			for u := range shares {
				shares[u] = l.queryScale * kernels.dot(q, s.wide[u*stride+key:][:l.headWidth])
			}
			softmax(shares)
			mixed := s.mixed[t*l.width+query:][:l.headWidth]
			for u, share := range shares {
				kernels.addScaled(mixed, share, s.wide[u*stride+value:][:l.headWidth])
			}
		}
	}
}

// finish averages the state over the tokens, maps it through the last layer, and
// gives it unit length.
func (n *network) finish(s *scratch, tokens int, out []float32) {
	mean := s.mixed[:dimensions]
	clear(mean)
	for t := range tokens {
		add(mean, s.state[t*dimensions:])
	}
	for i := range mean {
		mean[i] /= float32(tokens)
	}
	n.head.apply(s.narrow[:], s.mixed[:], 1)
	var squares float64
	for i := range out {
		x := math.Tanh(float64(s.narrow[i]))
		squares += x * x
		out[i] = float32(x)
	}
	length := float32(math.Sqrt(max(squares, 1e-12)))
	for i := range out {
		out[i] /= length
	}
}

// apply normalises each row of src to mean 0 and variance 1, then scales it.
func (n layerNorm) apply(dst, src []float32, width int) {
	const epsilon = 1e-6
	for first := 0; first < len(src); first += width {
		row := src[first:][:width]
		var sum, squares float64
		for _, x := range row {
			sum += float64(x)
		}
		mean := float32(sum / float64(width))
		for _, x := range row {
			squares += float64((x - mean) * (x - mean))
		}
		inverse := float32(1 / math.Sqrt(squares/float64(width)+epsilon))
		for i, x := range row {
			dst[first+i] = (x-mean)*inverse*n.scale[i] + n.bias[i]
		}
	}
}

// softmax turns scores into shares that sum to 1.
func softmax(scores []float32) {
	top := scores[0]
	for _, x := range scores {
		top = max(top, x)
	}
	var sum float32
	for i, x := range scores {
		scores[i] = float32(math.Exp(float64(x - top)))
		sum += scores[i]
	}
	for i := range scores {
		scores[i] /= sum
	}
}

// add adds b to a, over a's length.
func add(a, b []float32) {
	b = b[:len(a)]
	for i := range a {
		a[i] += b[i]
	}
}
