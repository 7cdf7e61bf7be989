"""Files of attacks and audits under way: all or nothing, whoever writes beside."""

import json
import threading
from pathlib import Path

from privgraph.runs.examining import write


def test_two_that_write_at_once_leave_a_whole_file(tmp_path: Path) -> None:
    """Two threads of one process, as two tabs are."""
    path = tmp_path / "kept.json"
    start = threading.Barrier(4)

    def again(number: int) -> None:
        start.wait()
        for _ in range(60):
            write(path, {"rows": [number] * (2000 * number)})

    threads = [threading.Thread(target=again, args=(number,)) for number in range(1, 5)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    rows = json.loads(path.read_text())["rows"]
    assert len(rows) == 2000 * rows[0]
    assert [one.name for one in tmp_path.iterdir()] == ["kept.json"]
