// The levels of a highway search: a column for each, a row for each lane.

const highwayWindow = new Window(at("highway"));
let highway = null; // the last search

async function search() {
  const number = (id) => Math.max(0, Math.floor(Number(at(id).value)) || 0);
  at("end").textContent = "searching …";
  const answer = await ask({ do: "highway", width: number("width"), levels: number("levels"), seed: number("seed") });
  if (!answer || !answer.levels) {
    at("end").textContent = "";
    return;
  }
  highway = answer;
  drawHighway();
}

function openHighway() {
  if (!highway) search();
  else highwayWindow.fit(false);
}

function drawHighway() {
  const { levels, begin, end } = highway;
  // Nodes are numbered through all levels.
  const starts = [];
  levels.reduce((sum, level) => { starts.push(sum); return sum + level.length; }, 0);
  const columns = levels.map((level, depth) => level.map((_, lane) => starts[depth] + lane));
  const before = [];
  const after = [];
  levels.forEach((level, depth) => level.forEach((lane, index) => {
    const own = starts[depth] + index;
    before[own] = lane.from == null ? [] : [lane.from, ...lane.others].map((from) => starts[depth - 1] + from);
    after[own] = [];
    before[own].forEach((from) => after[from].push(own));
  }));
  const y = heights(columns, (node) => before[node], (node) => after[node]);
  const all = [...y.values()];
  const top = all.reduce((a, b) => Math.min(a, b), 0) - 30;
  const bottom = all.reduce((a, b) => Math.max(a, b), 0) + 30;
  const bands = [];
  const lines = [];
  const dots = [];
  levels.forEach((level, depth) => {
    const x = depth * COLUMN;
    if (depth % 2 === 0) bands.push(shape("rect", { class: "level", x: x - COLUMN / 2, y: top - 24, width: COLUMN, height: bottom - top + 24 }));
    bands.push(tag(x, top - 8, `${begin + depth} · ${level.length}`, "axis"));
    level.forEach((lane, index) => {
      const own = starts[depth] + index;
      before[own].forEach((from, number) => {
        const [a, b, d] = [x - COLUMN, y.get(from), y.get(own)];
        const curve = `M ${a} ${b} C ${a + COLUMN / 2} ${b}, ${x - COLUMN / 2} ${d}, ${x} ${d}`;
        const line = shape("path", { class: number ? "edge other" : "edge path", d: curve }, number ? "" : lane.label);
        number ? lines.unshift(line) : lines.push(line);
      });
      const kind = ["node", "visited", lane.violates && "bad"].filter(Boolean).join(" ");
      const name = `state ${lane.name}` + (lane.label == null ? ", where the search began" : ` by ${lane.label}`);
      const dot = shape("circle", { class: kind, cx: x, cy: y.get(own), r: depth ? 6 : 9 }, name);
      dot.dataset.name = lane.name;
      dot.onclick = () => ask({ do: "lane", level: depth, lane: index, version: 0 });
      dots.push(dot);
    });
  });
  at("highway").replaceChildren(...bands, ...lines, ...dots);
  const states = starts[starts.length - 1] + levels[levels.length - 1].length;
  at("end").textContent = `${states} states on ${levels.length} levels; ${end}`;
  highwayWindow.extent = { left: -60, right: (levels.length - 1) * COLUMN + 60, top: top - 30, bottom: bottom + 10 };
  highwayWindow.fit(false);
  markHighway();
}

// Shows where one is, if that is on the highway.
function markHighway() {
  const { name } = view.graph.nodes[view.graph.here];
  for (const dot of at("highway").querySelectorAll("circle")) dot.classList.toggle("here", dot.dataset.name === name);
}

at("search").onsubmit = (event) => {
  event.preventDefault();
  search();
};

ask({ do: "view" });
