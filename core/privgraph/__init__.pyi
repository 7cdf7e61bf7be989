from privgraph import api as api
from privgraph import attacks as attacks
from privgraph import audits as audits
from privgraph import data as data
from privgraph import figures as figures
from privgraph import mechanisms as mechanisms
from privgraph import methods as methods
from privgraph import nn as nn
from privgraph import privacy as privacy
from privgraph import runs as runs
from privgraph.api.examining import attack as attack
from privgraph.api.examining import audit as audit
from privgraph.api.graphs import load as load
from privgraph.api.graphs import upload as upload
from privgraph.api.planning import epsilon as epsilon
from privgraph.api.planning import plan as plan
from privgraph.api.planning import spec as spec
from privgraph.api.run import Run as Run
from privgraph.api.run import RunFailed as RunFailed
from privgraph.api.running import open_store as open_store
from privgraph.api.running import run as run
from privgraph.api.running import run_all as run_all
from privgraph.api.tables import table as table
from privgraph.api.tuning import Tuned as Tuned
from privgraph.api.tuning import tune as tune
from privgraph.data.errors import DataError as DataError
from privgraph.data.graph import Graph as Graph
from privgraph.data.spec import PublicFacts as PublicFacts
from privgraph.options import OptionError as OptionError
from privgraph.options import UnknownName as UnknownName
from privgraph.privacy import events as events
from privgraph.privacy.calibration import calibrate as calibrate
from privgraph.privacy.statement import PrivacyStatement as PrivacyStatement
from privgraph.privacy.statements import statement_text as statement_text
from privgraph.registry import ATTACKS as ATTACKS
from privgraph.registry import AUDITS as AUDITS
from privgraph.registry import DATASETS as DATASETS
from privgraph.registry import METHODS as METHODS
from privgraph.runs.records import StoreError as StoreError
from privgraph.runs.spec import RunSpec as RunSpec
from privgraph.runs.sweep import sweep as sweep

__version__: str
__all__ = [
    "ATTACKS",
    "AUDITS",
    "DATASETS",
    "METHODS",
    "DataError",
    "Graph",
    "OptionError",
    "PrivacyStatement",
    "PublicFacts",
    "Run",
    "RunFailed",
    "RunSpec",
    "StoreError",
    "Tuned",
    "UnknownName",
    "__version__",
    "attack",
    "audit",
    "calibrate",
    "epsilon",
    "events",
    "figures",
    "load",
    "open_store",
    "plan",
    "run",
    "run_all",
    "spec",
    "statement_text",
    "sweep",
    "table",
    "tune",
    "upload",
]
