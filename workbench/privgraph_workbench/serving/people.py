"""Who may come in where a log-in asks: the list `people` of the `[auth]` section. No Streamlit."""

from collections.abc import Mapping
from typing import Any


def listed(people: object) -> tuple[str, ...]:
    """The list as it was written, in lower case; nobody where it is no list of e-mail addresses and domains.

    >>> listed(["Ada@example.org", "@example.com"]), listed("everybody"), listed(None)
    (('ada@example.org', '@example.com'), (), ())
    """
    if not isinstance(people, (list, tuple)) or not all(isinstance(one, str) and "@" in one for one in people):
        return ()
    return tuple(one.strip().lower() for one in people)


def may_enter(user: Mapping[str, Any], people: object) -> bool:
    """Whether the provider says that this person's address is theirs, and the list has it or its domain.

    >>> ada = {"email": "Ada@example.org", "email_verified": True}
    >>> [may_enter(ada, [one]) for one in ("ada@example.org", "@example.org", "@other.example")]
    [True, True, False]
    >>> may_enter({"email": "ada@example.org"}, ["@example.org"])
    False
    """
    email = str(user.get("email") or "").strip().lower()
    name, at, domain = email.rpartition("@")
    if not (name and at) or str(user.get("email_verified")).lower() != "true":
        return False
    return bool({email, f"@{domain}"} & set(listed(people)))
