"""Auditing and attacking runs from Python: each in a process of its own, for which the caller waits."""

from privgraph.api.run import Run, RunFailed
from privgraph.attacks.options import AttackOptions
from privgraph.attacks.record import AttackRecord
from privgraph.audits.options import AuditOptions
from privgraph.audits.record import AuditRecord
from privgraph.calls import in_words
from privgraph.options import OptionError, build, short
from privgraph.registry import ATTACKS, AUDITS
from privgraph.registry import attack as attack_spec
from privgraph.registry import audit as audit_spec
from privgraph.runs import attacking, auditing
from privgraph.runs.examining import Examiner, OptionsT, RecordT


@in_words
def audit(run: Run, audit: str | None = None, *, timeout: float | None = None, **options: object) -> AuditRecord:
    """Attack a run that is done, and keep what the attack shows beside the run, in its store.

    A process of its own attacks it. Every audit of a run takes its turn, so that all of them together hold at
    one confidence.

    Args:
        run: The run, as `privgraph.run` returns it.
        audit: An audit of `privgraph.AUDITS` (default: the first that does not refuse the run).
        timeout: Seconds to wait at most; the audit is then asked to end, and nothing is kept.
        **options: Options of audits: `trials`, `canaries`, `confidence` in (0, 1), `delta` (0: the run's
            own), `seed`.

    Returns:
        What it came to: `epsilon` (the lower bound, at `confidence`), `bounds` by route, `roc_true`,
        ...

    Raises:
        UnknownName: There is no such audit; the message offers the nearest name.
        OptionError: There is no such option, or not such a value of it, `run` is no run, or the audit refuses
            it.
        StoreError: The audit cannot be started.
        RunFailed: The audit came to nothing; the message says why.
        TimeoutError: It was not done within `timeout`.
    """
    if not isinstance(run, Run):
        raise OptionError(f"audit takes a run, as privgraph.run returns it (got {short(run)})")
    chosen = build(AuditOptions, options)
    subject = auditing.subject(run.store.get(run.id))
    named = audit_spec(audit) if audit is not None else None
    fitting = named or next(
        (one for one in AUDITS.values() if one.refuses(subject) is None), next(iter(AUDITS.values()))
    )
    token = auditing.start(run.store, run.id, fitting.name, chosen)
    return _waited(auditing.EXAMINER, run, token, timeout)


@in_words
def attack(run: Run, attack: str | None = None, *, timeout: float | None = None, **options: object) -> AttackRecord:
    """Ask what an outsider can tell of who trained in a run, of who is connected (the attack `link`), or of
    which relations were learnt from (`relations`).

    The run is trained again with shadow models beside it, by a process of its own; what the models say is
    kept with the run, so that another attack of as many models takes seconds.

    Args:
        run: A run that is done, of a method whose row in `privgraph.METHODS` says how its model is `asked`.
        attack: An attack of `privgraph.ATTACKS` (default: the first).
        timeout: Seconds to wait at most; the attack is then asked to end, and nothing is kept.
        **options: Options of attacks: `shadows`, `targets` (numbers of models), `query` (linked, alone or
            both), `online`, `scaled`, `variance` (each or pooled), `confidence` in (0, 1), `seed`; of `link`
            `by` (distance or influence), `distance`, `pairs`, `unlinked` (any or alike); of `relations`
            `candidates` and `signal` (gain or likeness).

    Returns:
        What it came to: `outcome` (area under the curve, true positive rates, with intervals), `roc_true`,
        `bound` (a lower bound on epsilon, or None), ...

    Raises:
        UnknownName: There is no such attack; the message offers the nearest name.
        OptionError: There is no such option, or not such a value of it, `run` is no run, or the attack
            refuses it.
        StoreError: The attack cannot be started.
        RunFailed: The attack came to nothing; the message says why.
        TimeoutError: It was not done within `timeout`.
    """
    if not isinstance(run, Run):
        raise OptionError(f"attack takes a run, as privgraph.run returns it (got {short(run)})")
    chosen = build(AttackOptions, options)
    spec = attack_spec(attack) if attack is not None else next(iter(ATTACKS.values()))
    token = attacking.start(run.store, run.id, spec.name, chosen)
    return _waited(attacking.EXAMINER, run, token, timeout)


def _waited(examiner: Examiner[OptionsT, RecordT], run: Run, token: str, timeout: float | None) -> RecordT:
    try:
        state = examiner.wait(run.store, run.id, token, timeout=timeout)
    except (KeyboardInterrupt, TimeoutError):
        examiner.stop(run.store, run.id, token)
        raise
    record = examiner.outcome(run.store, run.id, token)
    if record is None:
        raise RunFailed(state.error or f"the {examiner.noun} was stopped", [run])
    return record
