"""privgraph: learning from graphs with differential privacy, and without wrong epsilons.

>>> import privgraph as pg
>>> plan = pg.plan("progap", on="karate", unit="edge", epsilon=1.0)
>>> 0.99 < plan.statement.epsilon <= 1.0
True

Nothing else is imported before it is used. What is offered, with its types, stands in `__init__.pyi`.
"""

from privgraph.lazy import lazily

__version__ = "0.6.0.dev0"

_PLACES = {
    "ATTACKS": "privgraph.registry:ATTACKS",
    "AUDITS": "privgraph.registry:AUDITS",
    "DATASETS": "privgraph.registry:DATASETS",
    "DataError": "privgraph.data.errors:DataError",
    "Graph": "privgraph.data.graph:Graph",
    "METHODS": "privgraph.registry:METHODS",
    "OptionError": "privgraph.options:OptionError",
    "PrivacyStatement": "privgraph.privacy.statement:PrivacyStatement",
    "PublicFacts": "privgraph.data.spec:PublicFacts",
    "Run": "privgraph.api.run:Run",
    "RunFailed": "privgraph.api.run:RunFailed",
    "RunSpec": "privgraph.runs.spec:RunSpec",
    "StoreError": "privgraph.runs.records:StoreError",
    "Tuned": "privgraph.api.tuning:Tuned",
    "UnknownName": "privgraph.options:UnknownName",
    "attack": "privgraph.api.examining:attack",
    "audit": "privgraph.api.examining:audit",
    "calibrate": "privgraph.privacy.calibration:calibrate",
    "epsilon": "privgraph.api.planning:epsilon",
    "events": "privgraph.privacy.events",
    "figures": "privgraph.figures",
    "load": "privgraph.api.graphs:load",
    "open_store": "privgraph.api.running:open_store",
    "plan": "privgraph.api.planning:plan",
    "run": "privgraph.api.running:run",
    "run_all": "privgraph.api.running:run_all",
    "spec": "privgraph.api.planning:spec",
    "statement_text": "privgraph.privacy.statements:statement_text",
    "sweep": "privgraph.runs.sweep:sweep",
    "table": "privgraph.api.tables:table",
    "tune": "privgraph.api.tuning:tune",
    "upload": "privgraph.api.graphs:upload",
}

__all__ = [*_PLACES, "__version__"]

__getattr__, __dir__ = lazily(__name__, _PLACES)
