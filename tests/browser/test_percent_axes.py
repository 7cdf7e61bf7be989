"""An axis of accuracies in a real browser, without a server: what plotly makes of its bounds."""

import json

from playwright.sync_api import Browser
from plotly.offline import get_plotlyjs
from tests.figures.test_percent_axes import ROOM, SHAPES, shaped

from privgraph_workbench.figures.drawing.with_plotly import draw


def test_a_shown_axis_stays_within_a_hundred_percent(browser: Browser) -> None:
    page = browser.new_page()
    page.set_content("<div id=plot style='width: 500px; height: 300px'></div>")
    page.add_script_tag(content=get_plotlyjs())
    for values in SHAPES:
        drawn = json.loads(draw(shaped(values)).to_json())
        first, last = page.evaluate(
            "async (one) => (await Plotly.newPlot('plot', one.data, one.layout))._fullLayout.yaxis.range", drawn
        )
        assert -ROOM <= first < last <= 1 + ROOM
        assert first <= min(values)
        assert last >= max(values)
    page.close()
