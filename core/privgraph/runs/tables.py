"""The tables of the run store. No torch.

No column has ever changed: what was added came as tables of their own, or as columns with a default, which a
store of an earlier version gets when it is opened, and which its programs do not miss. The day a column must
change, `SCHEMA_VERSION` counts up and a tool for that (alembic) comes with it; tests/runs holds a store of
every released version to try it on.
"""

import sqlalchemy as sa

SCHEMA_VERSION = 1
QUEUED = sa.literal_column("'queued'", sa.Text)
"""A literal and no parameter: only so does a database see that an index of the queued runs alone serves."""


metadata = sa.MetaData()

schema = sa.Table("privgraph_schema", metadata, sa.Column("version", sa.Integer, primary_key=True))

runs = sa.Table(
    "runs",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("spec", sa.Text, nullable=False),
    # What lists and figures ask for stands in columns of its own, so that no JSON is parsed for them.
    sa.Column("method", sa.Text, nullable=False),
    sa.Column("dataset", sa.Text, nullable=False),
    sa.Column("split", sa.Text, nullable=False),
    sa.Column("unit", sa.Text, nullable=False),
    sa.Column("epsilon", sa.Double),
    sa.Column("accounting", sa.Text, nullable=False),
    sa.Column("seed", sa.Integer, nullable=False),
    sa.Column("batch", sa.Text, nullable=False, default=""),
    sa.Column("note", sa.Text, nullable=False, default=""),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False, default=1),
    sa.Column("last_sequence", sa.Integer, nullable=False, default=0),
    # The worker that has it.
    sa.Column("worker", sa.Text, nullable=False, default=""),
    sa.Column("host", sa.Text, nullable=False, default=""),
    sa.Column("pid", sa.Integer),
    sa.Column("started", sa.Double),
    sa.Column("heartbeat", sa.Double),
    sa.Column("progress", sa.Double, nullable=False, default=0.0),
    sa.Column("stage", sa.Text, nullable=False, default=""),
    sa.Column("progress_time", sa.Double),
    sa.Column("training_since", sa.Double),
    sa.Column("training_from", sa.Double),
    # What it came to.
    sa.Column("finished", sa.Double),
    sa.Column("error", sa.Text, nullable=False, default=""),
    sa.Column("metrics", sa.Text, nullable=False, default="{}"),
    sa.Column("test_accuracy", sa.Double),
    sa.Column("val_accuracy", sa.Double),
    sa.Column("train_accuracy", sa.Double),
    sa.Column("statement", sa.Text),
    sa.Column("sound_epsilon", sa.Double),
    sa.Column("published_epsilon", sa.Double),
    sa.Column("audited_epsilon", sa.Double),
    sa.Column("delta", sa.Double),
    sa.Column("seconds", sa.Double),
    sa.Column("peak_memory_mb", sa.Double),
    sa.Column("device", sa.Text, nullable=False, default=""),
    # What a claim looks at (`queueing`): additive, each with a default that an earlier program leaves there.
    # `stack`: runs of one name are trained together, and one without a name alone. `asked`: the device that
    # the spec asks for. `needs`: what its worker must have beside the data (`RunSpec.needs`). `memory_mb`:
    # the estimate of its plan, 0 while nobody has made one. `engine`: who trains it. `retries`: how often it
    # is still queued again by itself after its worker was lost, and `losses` how often it was. `again`: how
    # often an attempt was followed by another.
    sa.Column("stack", sa.Text, nullable=False, server_default=""),
    sa.Column("asked", sa.Text, nullable=False, server_default="auto"),
    sa.Column("memory_mb", sa.Double, nullable=False, server_default=sa.text("0")),
    sa.Column("engine", sa.Text, nullable=False, server_default="local"),
    sa.Column("retries", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.Column("losses", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.Column("again", sa.Integer, nullable=False, server_default=sa.text("0")),
    sa.Column("needs", sa.Text, nullable=False, server_default=""),
    sa.Index("runs_by_stack", "stack", "state", "number"),
    sa.Index(
        "runs_waiting",
        "number",
        postgresql_where=sa.column("state") == QUEUED,
        sqlite_where=sa.column("state") == QUEUED,
    ),
    sa.Index("runs_by_state_and_data", "state", "dataset"),
    sa.Index("runs_by_state_and_needs", "state", "needs"),
    sa.Index("runs_by_created", "created", "number"),
    sa.Index("runs_by_state", "state", "number"),
    sa.Index("runs_by_method", "method", "dataset", "created"),
    sa.Index("runs_by_dataset", "dataset", "created"),
    sa.Index("runs_by_batch", "batch"),
    sa.Index("runs_by_accuracy", "test_accuracy"),
    # Numbers are never used twice, so that an event can never come to belong to another run.
    sqlite_autoincrement=True,
)

events = sa.Table(
    "events",
    metadata,
    sa.Column("run", sa.Integer, sa.ForeignKey("runs.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("sequence", sa.Integer, primary_key=True),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("time", sa.Double, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),
    sa.Column("payload", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)

tags = sa.Table(
    "tags",
    metadata,
    sa.Column("run", sa.Integer, sa.ForeignKey("runs.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("tag", sa.Text, primary_key=True),
    sa.Index("tags_by_tag", "tag", "run"),
)

# Additive, these two: a store of an earlier version gets them when it is opened.
origins = sa.Table(
    "origins",
    metadata,
    sa.Column("run", sa.Integer, sa.ForeignKey("runs.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("attempt", sa.Integer, primary_key=True),
    # `program.program()` of the worker; attempts of versions before 0.5.0 have no row.
    sa.Column("version", sa.Text, nullable=False),
    sqlite_with_rowid=False,
)

audits = sa.Table(
    "audits",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("run", sa.Integer, sa.ForeignKey("runs.number", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("audit", sa.Text, nullable=False),
    sa.Column("covers", sa.Text, nullable=False),
    sa.Column("delta", sa.Double, nullable=False),
    sa.Column("epsilon", sa.Double, nullable=False),
    sa.Column("confidence", sa.Double, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
)

# Additive, too.
attacks = sa.Table(
    "attacks",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("run", sa.Integer, sa.ForeignKey("runs.number", ondelete="CASCADE"), nullable=False, index=True),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("attack", sa.Text, nullable=False),
    sa.Column("record", sa.Text, nullable=False),
)

# The turns of the audits of a run, each taken before its audit has seen anything; `audit` is the number of
# what it came to. Additive as well: an audit without a turn was made by an earlier version, or stands alone.
audit_turns = sa.Table(
    "audit_turns",
    metadata,
    sa.Column("run", sa.Integer, sa.ForeignKey("runs.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("turn", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("audit", sa.Integer, index=True),
)

# Tunings, and the runs that each of them tries, by place (`runs.tunings`). The specs of the trials stand here
# before any of them is submitted. Additive.
tunings = sa.Table(
    "tunings",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
    sa.Column("id", sa.Text, nullable=False, unique=True),
    sa.Column("created", sa.Double, nullable=False),
    sa.Column("request", sa.Text, nullable=False),
    sa.Column("terms", sa.Text, nullable=False),
    sa.Column("epsilon", sa.Double, nullable=False),
    sa.Column("composed", sa.Boolean, nullable=False),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("released", sa.Text, nullable=False, default=""),
    sqlite_autoincrement=True,
)

trials = sa.Table(
    "trials",
    metadata,
    sa.Column("tuning", sa.Integer, sa.ForeignKey("tunings.number", ondelete="CASCADE"), primary_key=True),
    sa.Column("place", sa.Integer, primary_key=True, autoincrement=False),
    sa.Column("run", sa.Text, nullable=False, unique=True),
    sa.Column("spec", sa.Text, nullable=False),
    sa.Column("score", sa.Double),
    sqlite_with_rowid=False,
)

# The fingerprint of the noise key that all workers of the store have in common: one row at most. Additive.
keys = sa.Table("keys", metadata, sa.Column("fingerprint", sa.Text, primary_key=True))
