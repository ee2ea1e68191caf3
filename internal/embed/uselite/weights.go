package uselite

// The shape of the network, fixed by the published model.
const (
	dimensions   = 512  // of the result, and of both layers' output
	tokenWidth   = 256  // of an embedded token
	hiddenWidth  = 1536 // of the feed-forward nets
	heads        = 4    // of attention, in both layers
	vocabulary   = 8000 // pieces
	embeddedRows = 8002 // the table has two rows that no piece names
)

// Weights is the network in float32, matrices row-major with one column per
// output. Its zero value is filled through Tensors.
type Weights struct {
	Vocabulary []Piece

	embedding   []float32 // embeddedRows × tokenWidth
	frequencies []float32 // of the timing signal: tokenWidth/2
	adjust      dense     // residual of layer 0: tokenWidth → dimensions
	layers      [2]layer
	head        dense // dimensions → dimensions
}

type dense struct {
	weights []float32 // inputs × outputs
	bias    []float32 // outputs
}

type layer struct {
	attentionNorm   layerNorm
	qkv             dense // width → 3 × width: queries, keys, values
	output          dense // width → dimensions
	feedForwardNorm layerNorm
	expand          dense // dimensions → hiddenWidth
	contract        dense // hiddenWidth → dimensions
}

type layerNorm struct{ scale, bias []float32 }

// Scaling says which numbers of a tensor share a scale once it is quantised.
type Scaling int

const (
	Unscaled  Scaling = iota // always float32: biases, norms
	PerRow                   // the embedding: one token, one scale
	PerColumn                // a matrix: one output, one scale
)

// Tensor is one named array of the weights.
type Tensor struct {
	Name       string // in the published TensorFlow.js manifest
	Rows, Cols int
	Scaling    Scaling
	Data       *[]float32 // Rows × Cols, or nil before it is filled
}

// Tensors lists the arrays of the network in the order in which a weights file
// holds them.
func (w *Weights) Tensors() []Tensor {
	const (
		encoder = "module/Encoder_en/"
		applied = "module_apply_default/Encoder_en/"
		encode  = "KonaTransformer/Encode/"
		stack   = applied + encode + "TransformerStack/"
		joined  = "/ConcatPartitions/concat"
	)
	list := []Tensor{
		{"module/Embeddings_en", embeddedRows, tokenWidth, PerRow, &w.embedding},
		vector(stack+"Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1", tokenWidth/2, &w.frequencies),
		matrix(applied+encode+"Layer_0/TransformerLayer/dense/kernel"+joined, tokenWidth, dimensions, &w.adjust.weights),
		vector(applied+encode+"Layer_0/TransformerLayer/dense/bias"+joined, dimensions, &w.adjust.bias),
	}
	for i := range w.layers {
		l, width := &w.layers[i], layerWidth(i)
		name := encode + "Layer_" + string(rune('0'+i)) + "/TransformerLayer/"
		in := stack + "Layer_" + string(rune('0'+i)) + "/TransformerLayer/"
		list = append(list,
			vector(applied+name+"layer_prepostprocess/layer_norm/layer_norm_scale"+joined, width, &l.attentionNorm.scale),
			vector(applied+name+"layer_prepostprocess/layer_norm/layer_norm_bias"+joined, width, &l.attentionNorm.bias),
			matrix(encoder+name+"MultiheadAttention/qkv_transform_single/kernel/part_0", width, 3*width, &l.qkv.weights),
			vector(applied+name+"MultiheadAttention/qkv_transform_single/bias"+joined, 3*width, &l.qkv.bias),
			matrix(encoder+name+"MultiheadAttention/output_transform_single/kernel/part_0", width, dimensions, &l.output.weights),
			vector(applied+name+"MultiheadAttention/output_transform_single/bias"+joined, dimensions, &l.output.bias),
			vector(applied+name+"FFN/layer_prepostprocess/layer_norm/layer_norm_scale"+joined, dimensions, &l.feedForwardNorm.scale),
			vector(applied+name+"FFN/layer_prepostprocess/layer_norm/layer_norm_bias"+joined, dimensions, &l.feedForwardNorm.bias),
			matrix(in+"FFN/conv1/Tensordot/Reshape_1", dimensions, hiddenWidth, &l.expand.weights),
			vector(applied+name+"FFN/conv1/bias"+joined, hiddenWidth, &l.expand.bias),
			matrix(in+"FFN/conv2/Tensordot/Reshape_1", hiddenWidth, dimensions, &l.contract.weights),
			vector(applied+name+"FFN/conv2/bias"+joined, dimensions, &l.contract.bias),
		)
	}
	return append(list,
		matrix(encoder+"hidden_layers/tanh_layer_0/weights", dimensions, dimensions, &w.head.weights),
		vector(encoder+"hidden_layers/tanh_layer_0/bias", dimensions, &w.head.bias),
	)
}

// layerWidth is the width of a layer's input, and of its attention.
func layerWidth(layer int) int {
	if layer == 0 {
		return tokenWidth
	}
	return dimensions
}

func matrix(name string, rows, cols int, data *[]float32) Tensor {
	return Tensor{name, rows, cols, PerColumn, data}
}

func vector(name string, length int, data *[]float32) Tensor {
	return Tensor{name, 1, length, Unscaled, data}
}
