r"""Formulas of LaTeX in words of people: a report shows them as they were typed. Short ones can be written
with letters, which every form of a report shows: `ε = 1` for `$\varepsilon = 1$`."""

from __future__ import annotations

import re

_FORMULA = re.compile(r"(?<![\\$])\$(?=[^\s$])([^$\n]*[^\s$\\])\$(?![\d$])")
"""As Markdown's readers have them, so that "$5 and $6" is none."""
_GREEK = {
    **{"alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "varepsilon": "ε", "eta": "η"},
    **{"theta": "θ", "kappa": "κ", "lambda": "λ", "mu": "μ", "nu": "ν", "pi": "π", "rho": "ρ", "sigma": "σ"},
    **{"tau": "τ", "phi": "φ", "varphi": "φ", "chi": "χ", "psi": "ψ", "omega": "ω", "Gamma": "Γ", "Delta": "Δ"},
    **{"Theta": "Θ", "Lambda": "Λ", "Sigma": "Σ", "Phi": "Φ", "Omega": "Ω"},
}
_SIGNS = {
    **{"le": "≤", "leq": "≤", "ge": "≥", "geq": "≥", "ne": "≠", "neq": "≠", "approx": "≈", "sim": "~", "times": "×"},
    **{"cdot": "·", "pm": "±", "infty": "∞", "to": "→", "in": "∈", "sum": "Σ"},
    **{name: name for name in ("log", "ln", "exp", "min", "max", "Pr")},
    **dict.fromkeys(("left", "right"), ""),
}
_COMMANDS = {**_GREEK, **_SIGNS}
_SHOWN = r"\\(?:mathrm|mathbf|mathcal|mathbb|text|operatorname)\s*\{([^{}]*)\}"
_PART = r"(?:\{([^{}]*)\}|(\w))"
_RAISED = str.maketrans("0123456789+-n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻ⁿ")
_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def formulas(said: str) -> list[str]:
    r"""The formulas of a text, each once, with their marks.

    >>> formulas(r"At $\varepsilon = 1$ it costs $5 and $6.")
    ['$\\varepsilon = 1$']
    """
    return list(dict.fromkeys(one[0] for one in _FORMULA.finditer(said)))


def in_letters(said: str) -> str:
    r"""The text with each formula in letters for which there are some; any other as it stands.

    >>> in_letters(r"At $\varepsilon \leq 10^{-2}$ about $O(\sqrt{n+1})$, not $\int_0^1 x$.")
    'At ε ≤ 10⁻² about O(√(n+1)), not $\\int_0^1 x$.'
    """
    return _FORMULA.sub(lambda one: _letters(one[1]) or one[0], said)


def _letters(formula: str) -> str:
    """ "" where letters do not do."""
    told = re.sub(_SHOWN, r"\1", formula)
    told = re.sub(r"\\[,;: ]|~", " ", told).replace(r"\%", "%")
    told = re.sub(r"\\([A-Za-z]+)", lambda one: _COMMANDS.get(one[1], one[0]), told)
    told = re.sub(r"\\frac\s*\{([^{}]*)\}\s*\{([^{}]*)\}", lambda one: f"{_grouped(one[1])}/{_grouped(one[2])}", told)
    told = re.sub(r"\\sqrt\s*\{([^{}]*)\}", lambda one: f"√{_grouped(one[1])}", told)
    told = re.sub(rf"\^{_PART}", lambda one: _set(one, _RAISED), told)
    told = re.sub(rf"_{_PART}", lambda one: _set(one, _LOWERED), told)
    return "" if re.search(r"[\\{}^_]", told) else " ".join(told.split())


def _grouped(part: str) -> str:
    return part if len(part.strip()) == 1 or part.isalnum() else f"({part})"


def _set(found: re.Match[str], letters: dict[int, int]) -> str:
    """Raised or lowered letters; what it was where there are none for it."""
    part = (found[1] if found[1] is not None else found[2]).strip()
    return part.translate(letters) if part and all(ord(one) in letters for one in part) else found[0]
