"""Folders of tiny encoders with tokenizers of their own."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import torch


def saved(folder: Path, model: Callable[[], Any], **special: str) -> Path:
    """The model, of the same random weights each time, beside a tokenizer of a few words."""
    from tokenizers import Tokenizer, models, pre_tokenizers
    from transformers import PreTrainedTokenizerFast

    known = dict.fromkeys(["<pad>", *special.values(), "<unk>", "red", "mug", "hose", "garden"])
    words = {word: number for number, word in enumerate(known)}
    tokenizer = Tokenizer(models.WordLevel(words, unk_token="<unk>"))
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    PreTrainedTokenizerFast(tokenizer_object=tokenizer, pad_token="<pad>", **special).save_pretrained(folder)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        model().save_pretrained(folder)
    return folder
