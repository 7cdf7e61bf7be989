"""What tests read of a page."""

from streamlit.testing.v1 import AppTest


def texts(app: AppTest) -> str:
    """All sentences of the page, with those of its notices."""
    kinds = (app.markdown, app.caption, app.warning, app.error, app.info, app.success)
    return "\n".join(element.value for kind in kinds for element in kind)


def numbers(app: AppTest) -> dict[str, str]:
    """The numbers of the page by their labels."""
    return {one.label: one.value for one in app.metric}


def badges(app: AppTest) -> str:
    return " ".join(one.value for one in app.markdown if "badge[" in one.value)
