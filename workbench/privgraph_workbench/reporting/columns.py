"""What the columns of a report's CSV files mean: README.txt lists those that its files have."""

from __future__ import annotations

import csv
import inspect
import io
import re
from collections.abc import Iterable, Mapping

from privgraph_workbench.figures import module_of

OPTION = "option "
"""How the name of a column begins that holds an option of a method."""
SHARE, PERCENT = "[0, 1]", "percent"
WITHHELD = "what others are not told, though it was measured: score, epsilon_audited, attacks"
OF_TABLES: Mapping[str, str] = {
    "run": "name of the run: its id (behind gallery-: that of a run of the gallery in whose place one of the author's "
    "stands), or its number in a report for others",
    "setting": "name of the setting, with which its files in statements/ begin",
    "label": "the run or setting in words",
    "method": "method, as commands call it",
    "graph": "graph in words, with its options",
    "stands": "where the run stands: told here, only in means, or only in figures",
    "protects": "unit that is protected: edge, node or none; every edge, no person: no edge is read",
    "seed": "seed of the run",
    "epsilon_sound": "proved ε of the noise; inf: nothing is guaranteed",
    "epsilon_edge": "the same for an edge; 0 where no edge is read, empty where a statement speaks of nodes alone",
    "epsilon_node": "the same for a node",
    "epsilon_as_published": "ε by the paper's own formula: to compare with its tables, no guarantee; empty: no formula",
    "epsilon_audited_at_least": "largest lower bound on ε that an audit or attack has shown; empty: none was asked "
    "for, or it is withheld",
    "audit_confidence": f"confidence of that bound, in {SHARE}; empty where it is the largest of several",
    "delta": "δ of the guarantee",
    "noise_key_is_public": "1: anybody can subtract the noise, so that as run it protects nobody; empty: no noise",
    "metric": "what scores are: test accuracy, or PREC@1 of relations",
    "score_percent": f"score of this run (for others empty where its setting has no noise), in {PERCENT}",
    "score_low_percent": f"lower end of its 95% interval by the test nodes (Clopper and Pearson), in {PERCENT}",
    "score_high_percent": f"upper end, in {PERCENT}",
    "test_nodes": "how many nodes a score was measured on",
    "seeds_of_setting": "runs that the mean of the setting is over",
    "mean_score_percent": f"mean score of the setting over its seeds, in {PERCENT}",
    "mean_low_percent": f"lower end of its 95% interval (Student's t, from 3 seeds on), in {PERCENT}",
    "mean_high_percent": f"upper end, in {PERCENT}",
    "strongest_attack": "attack on a run of the line whose area under the ROC curve (AUC) exceeds attack_baseline the "
    "most",
    "attack_asks": "what that attack asks",
    "attack_auc": f"its AUC, in {SHARE}",
    "attack_auc_low": "lower end of its 95% interval",
    "attack_auc_high": "upper end",
    "attack_baseline": "AUC that it is to be compared with: of edges told by distance that of the true classes alone "
    "(empty: not measured), else 0.5, a guess",
    "attack_fpr": f"false positive rate of attack_tpr, in {SHARE}",
    "attack_tpr": f"true positive rate at attack_fpr, in {SHARE}",
    "attack_of_mean": "attack of the largest mean AUC over several runs of the setting",
    "mean_auc_runs": "runs that this mean is over",
    "mean_auc": f"the mean, in {SHARE}",
    "mean_auc_low": "lower end of its 95% interval over runs (Student's t, from three on)",
    "mean_auc_high": "upper end",
    "audited_seed": "seed whose bound is epsilon_audited_at_least, of several",
    "attacked_seed": "seed that the strongest attack was on, of several",
    "withheld": WITHHELD,
    "reference": "name of the level",
    "what": "what the level is",
    "title": "method in words; empty: of none",
    "seeds": "runs behind the mean; empty: it needs no training",
    "from": "where the runs are from: the gallery that came with the program, or the store of the author",
    "beside": "settings beside which it is told",
    "runs": "ids of the runs behind it",
}
"""Of the files in tables/."""
_SCORES = {
    "low": f"lower end of the 95% interval, in {SHARE}; empty where runs are too few for one",
    "high": f"upper end, in {SHARE}",
    "seeds": "runs that the line is over",
    "evaluator": "1: measured on private labels, which no guarantee covers",
    "method": "method, as commands call it",
    "title": "method in words",
    "dataset": "graph, as commands call it",
    "graph": "graph in words, with its options",
    "unit": "unit that is protected: edge, node or none",
    "epsilon": "proved (sound) ε; inf: nothing is guaranteed",
    "epsilon_as_published": "ε by the paper's own formula; empty: no formula",
    "delta": "δ of the guarantee",
    "data_dependent": "1: the ε was computed from private data",
    "metric": "what was measured",
    "runs": "runs behind the line, by their names in tables/runs.csv",
    "run": "the run",
    "composed": "runs of the figure that read the same people",
    "variant": "options that differ within a method",
    "asked": "ε that the noise was chosen by; empty where the noise was given, or there is none",
    "mean": f"mean score over seeds, in {SHARE}",
    "network": "network that is trained; empty: no choice",
}
_AREAS = {
    "attack": "attack and what it was on, in words",
    "attack_name": "attack, as commands call it",
    "area": f"area under the ROC curve, in {SHARE}; guessing has 0.5",
    "area_low": "lower end of its interval",
    "area_high": "upper end",
    "asks": "what the attack asks",
}
_ENTRIES = {
    "kind": "kind of mechanism",
    "mechanism": "mechanism in words",
    "stage": "stage of the method",
    "count": "how often it is run",
    "noise_std": "standard deviation of the noise, in the units of what is released",
    "sensitivity": "how far one protected unit moves what is released",
    "norm": "norm in which that is measured",
    "noise_multiplier": "noise_std divided by sensitivity",
    "sampling_rate": f"chance with which a unit takes part, in {SHARE}",
    "share": f"part of the total Renyi divergence, in {SHARE}",
    "private": "1: it adds noise",
    "note": "what else is to be known",
}
OF_FIGURES: Mapping[str, Mapping[str, str]] = {
    "tradeoff": {
        **_SCORES,
        "nodes": "nodes of the graph",
        "test_nodes": "how many nodes a score was measured on",
        "reference": "1: a level, for it has no ε to be placed at",
        "runs_on_same_data": "runs of the figure that read the same people",
        "released": "what is released",
        "neighbours": "relation of neighbouring datasets",
        "runs_from_gallery": "those of the runs that came with the program",
        "noise_public": "yes: anybody can subtract the noise; no: it has a secret key; empty: nothing is protected",
        "noise": "what every mechanism added, in words",
        "noise_multiplier": "standard deviation of the noise over sensitivity, where all mechanisms have the same",
        "noise_std": "standard deviation of the noise, where all mechanisms have the same",
        "front": "1: no other setting with noise of this graph and unit has a higher mean at an ε that is no larger "
        "(or by less than 1%). "
        "What reads no edge (MLP: ε 0 for edges, in epsilon_for_edges) needs no noise and stands in no front: compare "
        "each line with its mean",
        "advice": "what the page Trade-offs says of the line",
        "guess": f"share of the largest class, in {SHARE}",
        "epsilon_for_edges": "ε for an edge: 0 where no edge is read",
        "low_by_test_nodes": f"lower end of the interval that the number of test nodes leaves of the mean, in {SHARE}",
        "high_by_test_nodes": "upper end",
        "epsilon_all_together": "sound ε of all private runs on these data together; empty: nothing is proved",
        "delta_all_together": "its δ",
        "epsilon_audited": "the largest lower bound of ε that an audit or attack has shown; empty: none yet, or it is "
        "withheld",
        "withheld": WITHHELD,
        "setting": "options in which the setting differs from others of its method; empty: the legend has them",
    },
    "compare": {
        **_SCORES,
        "seed": "seed, where a line is one run",
        "label": "setting in words",
        "state": "how the runs ended",
        "epsilon_audited": "largest lower bound on ε that an audit or attack has shown of a run of the line",
        "withheld": WITHHELD,
        "test_accuracy": f"mean test score, in {SHARE}",
        "val_accuracy": f"mean score on validation nodes, in {SHARE}",
        "train_accuracy": f"mean score on training nodes, in {SHARE}",
        "seconds": "mean time of a run, in seconds",
        "batch": "1: the time is of all runs that were trained together",
        "peak_memory_mb": "largest memory, in MB",
        "device": "device that was used: cpu or cuda",
    },
    "attack_roc": {
        **_AREAS,
        "curve": "attack: on the run's own training nodes; band: of all attacked models; sound: the most that ε allows",
        "false_positive_rate": f"in {SHARE}",
        "true_positive_rate": f"in {SHARE}; of a band the mean",
        "true_positive_rate_low": "lowest of the attacked models; empty: no band",
        "true_positive_rate_high": "highest of them",
    },
    "attack_areas": {
        **_SCORES,
        **_AREAS,
        "models": "area of each attacked model",
        "false_alarms": f"false positive rate of found, in {SHARE}",
        "found": f"true positive rate at it, in {SHARE}",
        "found_low": "lower end of its interval",
        "found_high": "upper end",
        "signed_rank": "p-value of Wilcoxon's signed-rank test",
        "by_classes": "area that the true classes alone have",
        "guessing": "1: nothing says that it is better than a guess",
        "caveat": "what must be known of the attacked model",
        "caveat_short": "the same in short",
    },
    "standing": {
        **_SCORES,
        "kind": "own, seed, or a level: what takes no learning, blind (reads no edge), bare (without privacy)",
        "of": "what a level is of; empty: the run's own",
        "seed": "seed; empty for a mean",
        "value": f"score, in {SHARE}",
        "mine": "1: the run that the chapter tells",
    },
    "ledger": _ENTRIES,
    "curves": {
        "run": "run, in words",
        "metric": "what was measured",
        "stage": "stage of training",
        "step": "step of training",
        "value": f"its value; accuracies in {SHARE}",
        "evaluator": "1: measured on private labels",
        "of": "what was run",
        "measure": "what its test score is called",
        "kept": "which epoch's model was kept",
        "kept_accuracy": f"test score of that model, in {SHARE}",
    },
}
"""Of the files in figures/, by the kind of figure."""
EMPTY = (
    "A cell is empty where there is no such number. In tables/ a column that would be empty in all rows is left out; "
    "in figures/ it stays, for all files of one kind of figure have the same columns."
)


def told(files: Mapping[str, bytes], kinds: Mapping[str, str]) -> list[str]:
    """The columns of these CSV files in lines, each once for files that have the same; `kinds`: of which kind
    the figure of a file in figures/ is."""
    groups: dict[tuple[str, tuple[str, ...]], list[str]] = {}
    for name, content in files.items():
        if name.endswith(".csv"):
            head = tuple(next(csv.reader(io.StringIO(content.decode())), []))
            groups.setdefault((kinds.get(name, ""), head), []).append(name)
    lines = ["Columns of the CSV files"] * bool(groups)
    known: set[str] = set()
    for (kind, head), names in groups.items():
        lines += ["", ", ".join(names)]
        words = {column: meaning(kind, column) for column in head}
        wide = max(map(len, head), default=0) + 2
        again = [column for column, said in words.items() if said and f"{column}: {said}" in known]
        lines += [f"  {column.ljust(wide)}{said}" for column, said in words.items() if said and column not in again]
        known |= {f"{column}: {said}" for column, said in words.items()}
        lines += [f"  as above: {', '.join(again)}"] * bool(again)
        if own := [column for column, said in words.items() if not said]:
            lines += [f"  {', '.join(own)}: {documented(kind)}"]
    return [*lines, "", EMPTY] if groups else []


def meaning(kind: str, column: str) -> str:
    """What a column holds; "" where that stands in the figure's own words (`documented`)."""
    if column.startswith(OPTION):
        return "option of the method, by which settings differ"
    return (OF_FIGURES.get(kind, {}) if kind else OF_TABLES).get(column, "")


def documented(kind: str) -> str:
    """What the rows of a kind of figure are, as its program says it."""
    said = inspect.getdoc(module_of(kind).data) or ""
    return re.sub(r"\s+", " ", said.replace("`", "")).strip()


def lacking(heads: Iterable[str], kind: str = "") -> list[str]:
    """The columns that have no words of their own."""
    return [column for column in heads if not meaning(kind, column)]
