"""Small random models of every architecture, with real fast tokenizers: built here, so nothing is downloaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

TEXT = """
The river Danube flows through ten countries before it reaches the Black Sea. In the U.S. a gallon is 3.5 litres,
isn't it? "Yes," she said, "state-of-the-art word vectors are looked up in microseconds." Unbelievable, incredible,
internationalisation; the quick brown fox jumps over the lazy dog. Çatalhöyük naïve café 東京 Москва 10,000.
"""

KINDS = ("bert", "distilbert", "mpnet", "roberta", "gpt2", "modernbert", "llama", "xlnet", "t5")


def make_model(kind: str, folder: Path, longest: int = 64) -> Path:
    """Save a random model of a kind with its tokenizer to a folder."""
    tokenizer = _tokenizer(kind, longest)
    tokenizer.save_pretrained(folder)
    torch.manual_seed(7)
    model = _model(kind, len(tokenizer), longest)
    model.eval()
    model.save_pretrained(folder)
    return folder


def _model(kind: str, vocabulary: int, longest: int) -> Any:
    shape = {"hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4, "intermediate_size": 48}
    sizes: dict[str, Any] = {"vocab_size": vocabulary, "max_position_embeddings": longest, **shape}
    special = {"bos_token_id": 0, "pad_token_id": 1, "eos_token_id": 2}
    t = transformers
    if kind == "bert":
        return t.BertForMaskedLM(t.BertConfig(**sizes, pad_token_id=0))
    if kind == "distilbert":
        return t.DistilBertModel(
            t.DistilBertConfig(
                vocab_size=vocabulary, max_position_embeddings=longest, dim=32, n_layers=3, n_heads=4, hidden_dim=48
            )
        )
    if kind == "mpnet":
        # Like RoBERTa it numbers positions from the one behind the padding row.
        return t.MPNetModel(t.MPNetConfig(**{**sizes, "max_position_embeddings": longest + 2}, **special))
    if kind == "roberta":
        sizes["max_position_embeddings"] = longest + 2
        return t.RobertaModel(t.RobertaConfig(**sizes, **special))
    if kind == "gpt2":
        return t.GPT2LMHeadModel(
            t.GPT2Config(vocab_size=vocabulary, n_positions=longest, n_embd=32, n_layer=3, n_head=4)
        )
    if kind == "modernbert":
        return t.ModernBertModel(
            t.ModernBertConfig(
                **sizes,
                pad_token_id=1,
                bos_token_id=0,
                eos_token_id=2,
                cls_token_id=0,
                sep_token_id=2,
                global_attn_every_n_layers=2,
                local_attention=8,
            )
        )
    if kind == "llama":
        return t.LlamaModel(t.LlamaConfig(**sizes, num_key_value_heads=2, **special))
    if kind == "t5":
        return t.T5Model(t.T5Config(vocab_size=vocabulary, d_model=32, d_kv=8, d_ff=48, num_layers=3, num_heads=4))
    return t.XLNetModel(t.XLNetConfig(vocab_size=vocabulary, d_model=32, n_layer=3, n_head=4, d_inner=48))


def _tokenizer(kind: str, longest: int) -> Any:
    lines = TEXT.split("\n")
    if kind in ("bert", "distilbert", "mpnet"):
        bare = Tokenizer(models.WordPiece(unk_token="[UNK]"))
        bare.normalizer = normalizers.BertNormalizer(lowercase=True)
        bare.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
        names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
        if kind == "mpnet":
            names = ["<s>", "<pad>", "</s>", "[UNK]", "<mask>"]
        bare.train_from_iterator(lines, trainers.WordPieceTrainer(vocab_size=200, special_tokens=names))
        first, last = ("<s>", "</s>") if kind == "mpnet" else ("[CLS]", "[SEP]")
        given = {
            "cls_token": first,
            "sep_token": last,
            "pad_token": names[1] if kind == "mpnet" else names[0],
            "unk_token": "[UNK]",
        }
        bare.post_processor = _around(bare, first, last)
        # As in many published tokenizers: settings that would cut and pad, which must not reach us.
        bare.enable_truncation(16)
        bare.enable_padding(length=16)
    elif kind in ("xlnet", "t5"):
        bare = Tokenizer(models.Unigram())
        bare.normalizer = normalizers.NFKC()
        bare.pre_tokenizer = pre_tokenizers.Metaspace()
        bare.decoder = decoders.Metaspace()
        names = ["<unk>", "<s>", "</s>", "<cls>", "<sep>", "<pad>"]
        trainer = trainers.UnigramTrainer(vocab_size=150, special_tokens=names, unk_token="<unk>")
        bare.train_from_iterator(lines, trainer)
        given = {"unk_token": "<unk>", "pad_token": "<pad>"}
        if kind == "xlnet":
            numbers = [(name, bare.token_to_id(name)) for name in ("<sep>", "<cls>")]
            bare.post_processor = processors.TemplateProcessing(single="$A:0 <sep>:0 <cls>:2", special_tokens=numbers)
            given |= {"cls_token": "<cls>", "sep_token": "<sep>", "padding_side": "left"}
        else:
            numbers = [("</s>", bare.token_to_id("</s>"))]
            bare.post_processor = processors.TemplateProcessing(single="$A </s>", special_tokens=numbers)
            given |= {"eos_token": "</s>"}
    else:
        bare = Tokenizer(models.BPE())
        bare.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
        if kind == "llama":
            # As in SmolLM2 and Llama 3: byte level behind another cutter.
            bare.pre_tokenizer = pre_tokenizers.Sequence(
                [pre_tokenizers.Digits(individual_digits=True), pre_tokenizers.ByteLevel(add_prefix_space=False)]
            )
        bare.decoder = decoders.ByteLevel()
        names = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
        alphabet = pre_tokenizers.ByteLevel.alphabet()
        trainer = trainers.BpeTrainer(vocab_size=400, special_tokens=names, initial_alphabet=alphabet)
        bare.train_from_iterator(lines, trainer)
        given = {"bos_token": "<s>", "eos_token": "</s>"}
        if kind in ("roberta", "modernbert"):
            given |= {"cls_token": "<s>", "sep_token": "</s>", "pad_token": "<pad>"}
            bare.post_processor = _around(bare, "<s>", "</s>")
        if kind == "llama":
            bare.post_processor = processors.TemplateProcessing(
                single="<s> $A", special_tokens=[("<s>", bare.token_to_id("<s>"))]
            )
    names_taken = {"xlnet": ["input_ids", "token_type_ids", "attention_mask"]}
    return transformers.PreTrainedTokenizerFast(
        tokenizer_object=bare,
        model_max_length=longest,
        model_input_names=names_taken.get(kind, ["input_ids", "attention_mask"]),
        **given,
    )


def _around(bare: Tokenizer, first: str, last: str) -> Any:
    numbers = [(name, bare.token_to_id(name)) for name in (first, last)]
    return processors.TemplateProcessing(single=f"{first} $A {last}", special_tokens=numbers)
