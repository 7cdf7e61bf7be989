"""BibTeX of the papers behind methods, attacks and audits, and of this program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from privgraph import __version__

ENTRIES: Mapping[str, str] = {
    "privgraph": f"""@software{{privgraph,
  title = {{privgraph: a workbench for differentially private learning on graphs}},
  author = {{{{privgraph contributors}}}},
  version = {{{__version__}}},
}}""",
    "progap": """@inproceedings{sajadmanesh2024progap,
  title = {{ProGAP}: Progressive Graph Neural Networks with Differential Privacy Guarantees},
  author = {Sajadmanesh, Sina and Gatica-Perez, Daniel},
  booktitle = {ACM International Conference on Web Search and Data Mining (WSDM)},
  year = {2024},
}""",
    "gap": """@inproceedings{sajadmanesh2023gap,
  title = {{GAP}: Differentially Private Graph Neural Networks with Aggregation Perturbation},
  author = {Sajadmanesh, Sina and Shamsabadi, Ali Shahin and Bellet, Aur{\\'e}lien and Gatica-Perez, Daniel},
  booktitle = {USENIX Security Symposium},
  year = {2023},
}""",
    "privgnn": """@article{olatunji2023releasing,
  title = {Releasing Graph Neural Networks with Differential Privacy Guarantees},
  author = {Olatunji, Iyiola E. and Funke, Thorben and Khosla, Megha},
  journal = {Transactions on Machine Learning Research},
  year = {2023},
}""",
    "heter-poisson": """@inproceedings{xiang2024preserving,
  title = {Preserving Node-level Privacy in Graph Neural Networks},
  author = {Xiang, Zihang and Wang, Tianhao and Wang, Di},
  booktitle = {IEEE Symposium on Security and Privacy (S\\&P)},
  year = {2024},
}""",
    "dp-gpl": """@misc{dpgpl,
  title = {{DP-GPL}: Differentially Private Graph Prompt Learning},
  author = {{Anonymous authors}},
  note = {Under double-blind review},
}""",
    "relational": """@misc{yin2024privately,
  title = {Privately Learning from Graphs with Applications in Finetuning Large Language Models},
  author = {Yin, Haoteng and Wei, Rongzhe and Chien, Eli and Li, Pan},
  year = {2024},
}""",
    "dp-mlp": """@inproceedings{abadi2016deep,
  title = {Deep Learning with Differential Privacy},
  author = {Abadi, Martin and Chu, Andy and Goodfellow, Ian and McMahan, H. Brendan and Mironov, Ilya and Talwar, Kunal
    and Zhang, Li},
  booktitle = {ACM Conference on Computer and Communications Security (CCS)},
  year = {2016},
}""",
    "dp-gnn": """@misc{daigavane2021node,
  title = {Node-Level Differentially Private Graph Neural Networks},
  author = {Daigavane, Ameya and Madan, Gagan and Sinha, Aditya and Thakurta, Abhradeep Guha and Aggarwal, Gaurav and
    Jain, Prateek},
  year = {2021},
}""",
    "edge-rand": """@inproceedings{wu2022linkteller,
  title = {{LinkTeller}: Recovering Private Edges from Graph Neural Networks via Influence Analysis},
  author = {Wu, Fan and Long, Yunhui and Zhang, Ce and Li, Bo},
  booktitle = {IEEE Symposium on Security and Privacy (S\\&P)},
  year = {2022},
}""",
    "pate": """@inproceedings{papernot2017semi,
  title = {Semi-supervised Knowledge Transfer for Deep Learning from Private Training Data},
  author = {Papernot, Nicolas and Abadi, Mart{\\'i}n and Erlingsson, {\\'U}lfar and Goodfellow, Ian and Talwar, Kunal},
  booktitle = {International Conference on Learning Representations (ICLR)},
  year = {2017},
}""",
    "lira": """@inproceedings{carlini2022membership,
  title = {Membership Inference Attacks From First Principles},
  author = {Carlini, Nicholas and Chien, Steve and Nasr, Milad and Song, Shuang and Terzis, Andreas and Tram{\\`e}r,
    Florian},
  booktitle = {IEEE Symposium on Security and Privacy (S\\&P)},
  year = {2022},
}""",
}
"""By the name of the method or attack; the program itself first."""
SAME: Mapping[str, str] = {
    "prompt-dpsgd": "dp-gpl",
    "prompt": "dp-gpl",
    "relation-rand": "relational",
    "relations": "relational",
    "bavaria": "lira",
    "prompts": "lira",
}
"""Whose paper stands for those that have none of their own here."""


_ACRONYM = re.compile(r"title = \{\{([A-Za-z-]+)\}")


def named_in(text: str) -> list[str]:
    """The entries whose short title stands in a text as a word.

    >>> named_in("The gap of GAP, Lemma 1, is that of ProGAP.")
    ['progap', 'gap']
    """
    short = {name: found[1] for name, entry in ENTRIES.items() if (found := _ACRONYM.search(entry))}
    return [name for name, title in short.items() if re.search(rf"(?<![\w-]){re.escape(title)}(?![\w-])", text)]


def bibtex(names: Iterable[str]) -> str:
    """The entries of those names, each once, after that of the program; names without a paper are left
    out."""
    keys = dict.fromkeys(["privgraph", *(SAME.get(name, name) for name in names)])
    return "\n\n".join(ENTRIES[key] for key in keys if key in ENTRIES) + "\n"
