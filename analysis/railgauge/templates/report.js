// SPDX-License-Identifier: Apache-2.0
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("report-data").textContent);
  const config = { responsive: true,  displaylogo: false, modeBarButtonsToRemove: ["lasso2d", "select2d"] };
  const family = getComputedStyle(document.body).fontFamily;

  const draw = (id, figure) => {
    const element = document.getElementById(id);
    figure.layout.font.family = family;
    if (element) Plotly.react(element, figure.data, figure.layout, config);
  };

  for (const [name, figure] of Object.entries(data.figures)) draw("plot-" + name, figure);

  const axis = (title) => ({ title: { text: title }, gridcolor: "#e7ebf0", zeroline: false, automargin: true });

  // Two points per bin, its minimum and maximum, joined to one line that is as tall as the spread.
  const stretch = (line) => {
    if (line.width === 1) return { x: line.high.map((_, i) => i), y: line.high };
    const x = [], y = [];
    line.high.forEach((high, i) => {
      x.push(i * line.width, (i + 0.5) * line.width);
      y.push(line.low[i], high);
    });
    return { x, y };
  };

  const timeAxis = (line) => {
    const top = Math.max(...line.high), low = Math.max(1e-3, Math.min(...line.low));
    const plain = axis(line.operations > 1 ? "time of " + line.operations + " operations (us)" : "time (us)");
    if (top < 12 * low) return { ...plain, rangemode: "tozero", exponentformat: "none" };
    const ticks = [];
    for (let decade = Math.floor(Math.log10(low)); decade <= Math.log10(top); decade += 1) {
      for (const step of top > 1e4 * low ? [1] : [1, 2, 5]) ticks.push(Number(step + "e" + decade));
    }
    return { ...plain, type: "log", tickvals: ticks, ticktext: ticks.map(String) };
  };

  const timeline = (line) => {
    const end = line.iterations - 1;
    const level = (y, name, colour, dash) => ({
      type: "scatter", mode: "lines", x: [0, end], y: [y, y], name,
      line: { color: colour, width: 1.5, dash }, hoverinfo: "skip",
    });
    const traces = [{
      type: "scatter", mode: "lines", ...stretch(line), name: line.width === 1 ? "iteration" : "minimum and maximum of " + line.width + " iterations",
      line: { color: "#7fa8e6", width: 1 }, hovertemplate: "iteration %{x}: %{y} us<extra></extra>",
    }, level(line.median, "median " + line.median + " us", "#1d2733", "solid")];
    if (line.blocks) traces.push({
      type: "scatter", mode: "lines", x: line.blocks.x, y: line.blocks.y, name: "mean of each block",
      line: { color: "#159570", width: 2, shape: "hv" }, hovertemplate: "block mean %{y:.4g} us<extra></extra>",
    });
    if (line.fence !== null && line.peaks.length) traces.push(level(line.fence, "outliers above " + line.fence + " us", "#d11f2f", "dot"), {
      type: "scatter", mode: "markers", x: line.peaks, y: line.peakValues, name: "outliers (slowest of each stretch)",
      marker: { color: "#d11f2f", size: 7, symbol: "circle-open", line: { width: 2 } },
      hovertemplate: "outlier, iteration %{x}: %{y} us<extra></extra>",
    });
    const layout = {
      height: 400, autosize: true, paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "#fff",
      font: { size: 12.5, color: "#1d2733" }, margin: { l: 66, r: 16, t: 16, b: 60 },
      xaxis: axis("iteration"), yaxis: timeAxis(line), modebar: data.modebar,
      legend: { orientation: "h", y: -0.2, yanchor: "top" }, hovermode: "closest",
      annotations: data.rig ? [data.rig] : [],
    };
    draw("plot-timeline", { data: traces, layout });
    document.getElementById("timeline-note").textContent =
      line.iterations + " iterations, " + line.outliers + " outliers";
  };

  const select = document.getElementById("timeline-case");
  if (select) {
    select.addEventListener("change", () => timeline(data.timelines[Number(select.value)]));
    timeline(data.timelines[data.first]);
  }

  // Percentages of the rail's median are made here, where they cost no bytes of the file.
  const railMap = (figure, number) => {
    const trace = figure.data[0];
    trace.customdata = trace.z.map((row) => row.map((value) => value === null ? null : 100 * value / trace.meta.median));
    draw("plot-rail" + number, figure);
  };

  const place = (kind) => (_, number) => {
    const element = document.createElement("div");
    element.id = "plot-" + kind + number;
    return element;
  };

  // All of them before the first is drawn, which then is as wide as its place.
  const makePlaces = (id, kind, several) => {
    const maps = document.getElementById(id);
    for (const old of maps.children) Plotly.purge(old);
    maps.replaceChildren(...several.map(place(kind)));
  };

  const fillRows = (id, rows) => {
    document.querySelector("#" + id + " tbody").replaceChildren(...rows.map((cells) => {
      const row = document.createElement("tr");
      cells.forEach((text, i) => {
        const cell = row.insertCell();
        cell.textContent = text;
        if (i > 0) cell.className = "num";
      });
      return row;
    }));
  };

  const pairSet = (set) => {
    makePlaces("rail-maps", "rail", set.rails);
    set.rails.forEach(railMap);
    draw("plot-rails", set.boxes);
    document.getElementById("slowest-unit").textContent = set.unit;
    fillRows("slowest", set.slowest);
  };

  const sets = document.getElementById("map-set");
  if (sets) {
    sets.addEventListener("change", () => pairSet(data.maps[Number(sets.value)]));
    pairSet(data.maps[data.first]);
  }

  for (const chosen of document.querySelectorAll("select.facet")) {
    const kind = chosen.dataset.kind;
    const show = () => draw("plot-facet-" + kind, data.facets[kind][Number(chosen.value)]);
    chosen.addEventListener("change", show);
    show();
  }

  // All nodes of a set share a figure without data; each brings the data of its traces.
  const nodesAtOnce = 4;
  const nodeFigure = (shape, node) => {
    const figure = structuredClone(shape);
    figure.layout.title.text = node.title;
    node.data.forEach((piece, i) => Object.assign(figure.data[i], piece));
    for (const trace of figure.data) {
      if (trace.type !== "heatmap") continue;
      trace.z = trace.customdata.map((row) => row.map((value) => value === null ? null : 100 * value / trace.meta.median));
    }
    return figure;
  };

  const someNodes = (set, from) => {
    const nodes = set.nodes.slice(from, from + nodesAtOnce);
    makePlaces("node-maps", "node", nodes);
    nodes.forEach((node, number) => draw("plot-node" + number, nodeFigure(set.shape, node)));
  };

  const nodeSets = document.getElementById("node-set");
  if (nodeSets) {
    const from = document.getElementById("node-from");
    const chosen = () => data.maps[Number(nodeSets.value)];
    const wholeSet = () => {
      const set = chosen();
      from.replaceChildren(...set.nodes.map((node, i) => new Option(node.host + " · " + node.note, i)));
      document.getElementById("node-choice").hidden = set.nodes.length <= nodesAtOnce;
      someNodes(set, 0);
      draw("plot-nodes", set.boxes);
      document.getElementById("node-unit").textContent = set.unit;
      fillRows("node-slowest", set.slowest);
    };
    nodeSets.addEventListener("change", wholeSet);
    from.addEventListener("change", () => someNodes(chosen(), Number(from.value)));
    wholeSet();
  }

  const rowsOf = (table) => [...table.rows].map((row) => [...row.cells].map((cell) => cell.textContent.trim()));
  const formats = {
    tsv: (rows) => rows.map((row) => row.map((cell) => (/^[=+@]/.test(cell) ? "'" + cell : cell)).join("\t")).join("\n"),
    wiki: (rows) => {
      const line = (row) => "| " + row.map((cell) => cell.replaceAll("|", "\\|")).join(" | ") + " |";
      return [line(rows[0]), line(rows[0].map(() => "---")), ...rows.slice(1).map(line)].join("\n");
    },
  };

  const copy = async (text) => {
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      // Pages opened from a file may not use the clipboard interface.
      const area = document.body.appendChild(document.createElement("textarea"));
      area.value = text;
      area.select();
      document.execCommand("copy");
      area.remove();
    }
  };

  for (const button of document.querySelectorAll("button[data-copy]")) {
    const caption = button.textContent;
    button.addEventListener("click", async () => {
      await copy(formats[button.dataset.copy](rowsOf(document.getElementById(button.dataset.table ?? "result-table"))));
      button.textContent = "Copied";
      setTimeout(() => { button.textContent = caption; }, 1500);
    });
  }
  document.body.dataset.ready = "yes";
})();
