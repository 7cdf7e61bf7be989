"""What stored results are called for people."""

from __future__ import annotations

_METRIC_WORDS = {"val": "validation", "train": "training", "f1": "F1", "mrr": "MRR"}


def metric_title(name: str) -> str:
    """The name of a result for people.

    >>> metric_title("test_macro_f1"), metric_title("test_few_shot_mrr")
    ('Test macro F1', 'Test few-shot MRR')
    >>> metric_title("val_accuracy"), metric_title("label_accuracy_before_noise")
    ('Validation accuracy', 'Label accuracy before noise')
    """
    words = [_METRIC_WORDS.get(word, word) for word in name.split("_")]
    said = " ".join(words).replace("few shot", "few-shot")
    return said[:1].upper() + said[1:]
