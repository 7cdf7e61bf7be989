// Draws the figures of executed notebooks: each is JSON inside its own element.
document.addEventListener("DOMContentLoaded", () => {
  for (const place of document.querySelectorAll(".privgraph-figure")) {
    const { data, layout } = JSON.parse(place.querySelector("script").textContent);
    Plotly.newPlot(place, data, { ...layout, autosize: true, width: undefined }, { responsive: true, displaylogo: false });
  }
});
