# SPDX-License-Identifier: Apache-2.0
"""``railgauge report``: one HTML file with everything in it, that opens without a network.

Every text of the run passes jinja2's escaping; data for scripts goes through `script_json`; the
page's security policy names the hashes of its own scripts, so that nothing else can run in it.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup

from railgauge import __version__, guard
from railgauge.archive import archive_line
from railgauge.case_counters import RunCounters
from railgauge.check import verdict_of
from railgauge.checks import run_checks
from railgauge.communicators import is_communicator
from railgauge.figures.lateness import lateness_figure
from railgauge.figures.sizes import Series, series_of, size_figure
from railgauge.figures.style import Figure, base_layout, rig_annotation
from railgauge.figures.timeline import most_remarkable, timelines
from railgauge.incast import is_incast
from railgauge.incast_shares import SLICE_NS
from railgauge.load import Run
from railgauge.output import replacing, require_free
from railgauge.pairs import is_pairs
from railgauge.report_counters import counter_contents, counter_tiles
from railgauge.report_incast import incast_contents
from railgauge.report_library import library_contents
from railgauge.report_pairs import pairs_contents
from railgauge.report_tables import alarms, facts_table, result_table, tiles
from railgauge.results import CaseResult, iterate
from railgauge.rows import CLOCK_NOTE, clock_mark, rows, watermark
from railgauge.show import progress_line
from railgauge.show_columns import hides_choice

_TEMPLATES = Path(__file__).parent / "templates"
_TIMELINE_POINTS = 150_000
_SERIES_PER_CHART = 12


def write_report(run: Run, path: Path, *, allow_rig: bool, slice_ns: int = SLICE_NS) -> Path:
    """Write the report and return its path; it appears under that name when it is whole."""
    require_free(path, run.location)
    page = render(run, allow_rig=allow_rig, slice_ns=slice_ns)
    with replacing(path) as temporary:
        temporary.write_text(page, encoding="utf-8")
    return path


def render(run: Run, *, allow_rig: bool, slice_ns: int = SLICE_NS) -> str:
    """Compute everything and return the page; windows in slices of ``slice_ns``."""
    if is_incast(run):
        contents = incast_contents(run, slice_ns)
    else:
        contents = pairs_contents(run) if is_pairs(run) else _contents(run)
    guard.beat()
    checks = run_checks(run, allow_rig=allow_rig)
    if run.info.is_rig:
        for figure in _all_figures(contents):
            figure["layout"]["annotations"] = [rig_annotation()]
    scripts = [_plotly_source(), _template_text("report.js")]
    data = {
        "figures": contents["figures"],
        "timelines": contents["timelines"],
        "maps": contents["maps"],
        "first": contents["first"],
        "facets": {
            kind: [one["figure"] for one in charts] for kind, charts in contents["facets"].items()
        },
        "rig": rig_annotation() if run.info.is_rig else None,
        "modebar": base_layout(0)["modebar"],
    }
    return (
        _environment()
        .get_template("report.html.j2")
        .render(
            contents,
            run=run,
            info=run.info,
            version=__version__,
            policy=_policy(scripts),
            scripts=[Markup(s) for s in scripts],
            style=Markup(_template_text("report.css")),
            data=script_json(data),
            watermark=watermark(run.info),
            progress=progress_line(run),
            verdict=verdict_of(checks),
            checks=checks,
            facts=facts_table(run.nodes),
            archive=archive_line(run),
            clock_note=CLOCK_NOTE,
            unknown_choice=hides_choice(run),
            with_gpus=any(r.gpu_uuid for r in run.ranks),
        )
    )


def _contents(run: Run) -> dict[str, Any]:
    """Return what the template shows of the results; `pairs_contents` has the same names."""
    bins = max(100, min(2000, _TIMELINE_POINTS // max(1, len(run.finished_cases))))
    results, counters = list(iterate(run, bins)), RunCounters(run)
    series = series_of(results)
    charts = _charts(series)
    colours = {s.label: i for i, s in enumerate(series)}
    library = library_contents(results, charts, colours)
    operations = [r for r in results if not is_communicator(r.case)]
    return library | {
        "pairs": False,
        "incast": None,
        "figures": _figures(operations, run, charts, colours) | library["figures"],
        "timelines": timelines(results),
        "maps": [],
        "facets": {},
        "counters": counter_contents(counters),
        "first": most_remarkable(results),
        "tiles": tiles(run, results) + counter_tiles(counters),
        "table": result_table(
            [
                row | {"clock": clock_mark(row)} | counters.row(result.case)
                for result in operations
                for row in rows([result])
            ]
        ),
        "alarms": alarms(run, results),
    }


def _all_figures(contents: dict[str, Any]) -> Iterator[Figure]:
    yield from contents["figures"].values()
    for charts in contents["facets"].values():
        yield from (one["figure"] for one in charts)
    for one in contents["maps"]:
        yield from (*one["rails"], one["boxes"])
        if "shape" in one:
            yield one["shape"]


def _template_text(name: str) -> str:
    return (_TEMPLATES / name).read_text(encoding="utf-8")


def _environment() -> jinja2.Environment:
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(_TEMPLATES),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )


def script_json(value: Any) -> Markup:
    """Encode JSON so that it can neither end its script element nor start another."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for character in "<>&\u2028\u2029":
        text = text.replace(character, f"\\u{ord(character):04x}")
    return Markup(text)


def _plotly_source() -> str:
    import plotly

    path = Path(plotly.__file__).parent / "package_data" / "plotly.min.js"
    return path.read_text(encoding="utf-8").replace("</script", "<\\/script")


def _policy(scripts: Sequence[str]) -> str:
    hashes = [
        f"'sha256-{base64.b64encode(hashlib.sha256(s.encode()).digest()).decode()}'"
        for s in scripts
    ]
    return (
        f"default-src 'none'; script-src {' '.join(hashes)}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )


def _figures(
    results: list[CaseResult],
    run: Run,
    charts: list[tuple[str, list[Series]]],
    colours: dict[str, int],
) -> dict[str, Figure]:
    figures: dict[str, Figure] = {}
    for number, (title, part) in enumerate(charts):
        figures[f"sizes{number}"] = size_figure(part, colours, title)
    lateness = lateness_figure(results, run.ranks)
    if lateness is not None:
        figures["lateness"] = lateness
    return figures


def _charts(series: list[Series]) -> list[tuple[str, list[Series]]]:
    """Return one chart of all series while they fit, else one per operation."""
    if len(series) <= _SERIES_PER_CHART:
        return [("", series)] if series else []
    operations = dict.fromkeys(s.operation for s in series)
    return [(o, [s for s in series if s.operation == o]) for o in operations]
