"""The frame of a report as one HTML page: its look in light, in dark, on a phone and in print."""

from __future__ import annotations

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; img-src data:; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
:root { color-scheme: light dark; --back: #ffffff; --text: #17212e; --soft: #f2f5f9; --line: #d5dbe3; --care: #8a4600;
  --muted: #566476; }
@media screen and (prefers-color-scheme: dark) {
  :root { --back: #10151c; --text: #e8eef5; --soft: #1b232e; --line: #38424f; --care: #ffb454;
    --muted: #a3b0c0; }
}
body { background: var(--back); color: var(--text); font: 16px/1.55 "Source Sans 3", "DejaVu Sans", Arial, sans-serif;
  max-width: 60rem; margin: 2rem auto; padding: 0 1.2rem; }
h1 { font-size: 1.9rem; } h2 { font-size: 1.4rem; margin-top: 2.6rem; } h3 { font-size: 1.1rem; margin-top: 1.8rem; }
h2 { border-bottom: 1px solid var(--line); padding-bottom: .3rem; } summary { cursor: pointer; font-weight: 600; }
table { border-collapse: collapse; margin: 1rem 0; display: block; overflow-x: auto; }
th, td { text-align: left; padding: .35rem .8rem; border-bottom: 1px solid var(--line); vertical-align: top; }
pre { background: var(--soft); padding: .9rem; white-space: pre-wrap; overflow-wrap: anywhere; border-radius: 6px; }
td:first-child { min-width: 8rem; }
.whole { white-space: nowrap; } a { color: inherit; }
.long { overflow-wrap: anywhere; }
.figure { overflow-x: auto; }
img { max-width: 100%; height: auto; }
.under { font-size: .85rem; } .under p { margin: .3rem 0; }
.small { font-size: .8rem; color: var(--muted); }
.warned { color: var(--care); font-size: .9rem; margin: .3rem 0; }
@media (max-width: 40rem) {
  .figure::after { content: "Tap the figure to enlarge it."; font-size: .8rem; }
  .figure:focus::after { content: ""; } .figure:focus img { max-width: none; width: 44rem; }
  .wide, .wide :is(tbody, tr, td) { display: block; } .wide thead { display: none; }
  .wide tr { border-bottom: 1px solid var(--line); padding: .5rem 0; } .wide td { border: 0; padding: .1rem 0; }
  .wide td:first-child { font-weight: 600; } .wide td:empty { display: none; }
  .wide td:not([data-head=""])::before { content: attr(data-head) ": "; color: var(--muted); font-weight: 400; }
}
.careful { border-left: 4px solid var(--care); background: var(--soft); padding: .7rem 1rem; }
nav { border: 1px solid var(--line); border-radius: 6px; padding: .5rem 1rem; font-size: .9rem; }
nav ol { margin: .2rem 0; padding-left: 1.6rem; columns: 26rem 2; column-gap: 2.5rem; }
nav p { margin: 0; } nav li { break-inside: avoid; }
h2, h3 { break-after: avoid-page; } .figure, tr, .careful { break-inside: avoid-page; }
</style>
</head>
<body>
<main>
<h1>{title}</h1>
{body}
</main>
</body>
</html>
"""
