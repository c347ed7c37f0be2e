"""Model folders of other architectures than the product's own."""

import json
import shutil

import pytest

# BERT with room for 99 tokens; the others as they come. RoBERTa counts its positions otherwise.
KINDS = [("Ernie", 512), ("Roberta", 512), ("Electra", 512), ("Bert", 99)]


@pytest.fixture(scope="module", params=KINDS, ids=lambda kind: kind[0])
def other(request, tiny_checkpoint, tmp_path_factory):
    """A model folder of another architecture, with seeded random weights."""
    from model.auto import auto_classes

    auto_classes()
    import paddle
    from paddlenlp import transformers

    kind, positions = request.param
    folder = tmp_path_factory.mktemp(kind) / "model"
    own = shutil.ignore_patterns("static", "model_state*")
    shutil.copytree(tiny_checkpoint, folder, ignore=own)
    size = json.loads((folder / "config.json").read_text())
    same = ("vocab_size", "hidden_size", "num_hidden_layers", "num_attention_heads")
    config = getattr(transformers, f"{kind}Config")(
        **{name: size[name] for name in same},
        intermediate_size=64,
        max_position_embeddings=positions,
        num_labels=10,
        initializer_range=0.2,
        hidden_dropout_prob=0.0,
        attention_probs_dropout_prob=0.0,
    )
    paddle.seed(1)
    getattr(transformers, f"{kind}ForTokenClassification")(config).save_pretrained(str(folder))
    return folder
