import numpy as np
import pytest

from model.marks import DEFAULT_MARKS


@pytest.fixture(scope="module")
def layers(tiny_checkpoint):
    """The same layer twice: as PaddleNLP makes it, and quickened."""
    from model.checkpoint import load_for_training
    from model.processor import prepare_processor

    prepare_processor()
    from model.training_kernels import quicken

    plain, quick = (load_for_training(tiny_checkpoint, DEFAULT_MARKS)[0] for _ in range(2))
    quicken(quick)
    return plain, quick


def batch(lengths, width, pad=0):
    rng = np.random.default_rng(3)
    ids = np.full((len(lengths), width), pad, np.int64)
    for row, length in enumerate(lengths):
        ids[row, :length] = rng.integers(5, 40, length)
    return ids


def test_a_quickened_layer_answers_and_learns_as_before(layers):
    import paddle

    from model.training_kernels import attention_mask

    ids = batch([12, 7, 3], 12)
    heads = layers[0].config.num_attention_heads
    mask = paddle.to_tensor(attention_mask(ids, 0, heads))
    given = paddle.to_tensor(ids)
    weight = paddle.to_tensor(np.random.default_rng(4).normal(size=(3, 12, 1)).astype("float32"))
    answers, gradients = [], []
    for layer, extra in ((layers[0], {}), (layers[1], {"attention_mask": mask})):
        out = layer(given, **extra)
        (out * weight).sum().backward()
        answers.append(out.numpy())
        gradients.append(
            {n: p.grad.numpy() for n, p in layer.named_parameters() if p.grad is not None}
        )
        layer.clear_gradients()
    np.testing.assert_allclose(*answers, atol=1e-5)
    assert gradients[0].keys() == gradients[1].keys()
    biases = [name for name in gradients[0] if name.endswith("linear1.bias")]
    assert biases
    assert all(np.abs(gradients[0][name]).max() > 0 for name in biases)
    for name, gradient in gradients[0].items():
        np.testing.assert_allclose(gradients[1][name], gradient, atol=1e-4, err_msg=name)


def test_no_token_looks_at_padding(layers):
    import paddle

    from model.training_kernels import attention_mask

    short, long = batch([9], 9), batch([9], 30)
    heads = layers[0].config.num_attention_heads
    answers = [
        layers[1](
            paddle.to_tensor(ids), attention_mask=paddle.to_tensor(attention_mask(ids, 0, heads))
        ).numpy()[0, :9]
        for ids in (short, long)
    ]
    np.testing.assert_array_equal(short[0], long[0, :9])
    np.testing.assert_allclose(*answers, atol=1e-5)
    assert attention_mask(long, 0, 2).shape == (1, 2, 30, 30)
