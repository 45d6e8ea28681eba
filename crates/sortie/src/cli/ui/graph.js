// The states seen so far, in columns by their distance from the beginning.

const SVG = "http://www.w3.org/2000/svg";
const COLUMN = 92;

function shape(name, attributes, title) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (title) {
    const text = document.createElementNS(SVG, "title");
    text.textContent = title;
    element.append(text);
  }
  return element;
}

function tag(x, y, text, kind) {
  const element = shape("text", { class: kind, x, y });
  element.textContent = text;
  return element;
}

// Puts each column in an order and at heights that keep neighbours close: every node wants to be where its neighbours are on average.
function heights(columns, before, after) {
  const y = new Map();
  const most = columns.reduce((most, column) => Math.max(most, column.length), 0);
  const row = most > 14 ? 24 : 40; // small pictures have room for labels
  columns.forEach((column) => column.forEach((node, index) => y.set(node, (index - (column.length - 1) / 2) * row)));
  const settle = (column, neighbours) => {
    const wish = new Map(column.map((node) => {
      const others = neighbours(node);
      const sum = others.reduce((total, other) => total + y.get(other), 0);
      return [node, others.length ? sum / others.length : y.get(node)];
    }));
    column.sort((a, b) => wish.get(a) - wish.get(b) || a - b);
    let lowest = -Infinity;
    let shift = 0;
    column.forEach((node) => {
      const place = Math.max(wish.get(node), lowest + row);
      lowest = place;
      shift += place - wish.get(node);
      y.set(node, place);
    });
    column.forEach((node) => y.set(node, y.get(node) - shift / column.length));
  };
  for (let round = 0; round < 3; round += 1) {
    columns.forEach((column) => settle(column, before));
    if (round < 2) [...columns].reverse().forEach((column) => settle(column, after));
  }
  return y;
}

// Dragging moves a picture, the wheel zooms.
class Window {
  constructor(svg) {
    this.svg = svg;
    this.box = { x: 0, y: 0, scale: 1 };
    this.extent = { left: 0, top: 0, right: 1, bottom: 1 };
    let from = null;
    svg.addEventListener("pointerdown", (event) => {
      if (event.target === svg || !event.target.matches(".node")) from = { x: event.clientX, y: event.clientY };
    });
    svg.addEventListener("pointermove", (event) => {
      if (!from) return;
      svg.classList.add("dragged");
      this.box.x -= (event.clientX - from.x) * this.box.scale;
      this.box.y -= (event.clientY - from.y) * this.box.scale;
      from = { x: event.clientX, y: event.clientY };
      this.apply();
    });
    const end = () => { from = null; svg.classList.remove("dragged"); };
    svg.addEventListener("pointerup", end);
    svg.addEventListener("pointerleave", end);
    svg.addEventListener("wheel", (event) => {
      event.preventDefault();
      const area = svg.getBoundingClientRect();
      const [x, y] = [event.clientX - area.left, event.clientY - area.top];
      const scale = Math.min(12, Math.max(0.2, this.box.scale * Math.exp(event.deltaY * 0.0012)));
      this.box.x += x * (this.box.scale - scale);
      this.box.y += y * (this.box.scale - scale);
      this.box.scale = scale;
      this.apply();
    }, { passive: false });
    this.size = null;
    new ResizeObserver(() => this.resize()).observe(svg);
  }

  // What was in the middle stays there.
  resize() {
    const { width, height } = this.svg.getBoundingClientRect();
    if (!width || !height) return;
    if (this.size) {
      this.box.x += ((this.size.width - width) * this.box.scale) / 2;
      this.box.y += ((this.size.height - height) * this.box.scale) / 2;
    }
    this.size = { width, height };
    this.apply();
  }

  apply() {
    const { width, height } = this.svg.getBoundingClientRect();
    if (!width || !height) return;
    const { x, y, scale } = this.box;
    this.svg.setAttribute("viewBox", `${x} ${y} ${width * scale} ${height * scale}`);
  }

  // All of it, or as much as can still be read, with what matters in the middle but no empty space beyond the picture.
  fit(all, centre) {
    const { width, height } = this.svg.getBoundingClientRect();
    if (!width || !height) return;
    const { left, top, right, bottom } = this.extent;
    const whole = Math.max((right - left) / width, (bottom - top) / height, 0.8);
    const parts = !all && whole > 1.6;
    const scale = parts ? Math.min(Math.max((bottom - top) / height, 1), 1.6) : whole;
    const along = (from, to, room, wanted) =>
      to - from <= room ? (from + to - room) / 2 : Math.min(Math.max(wanted - room / 2, from), to - room);
    const wanted = centre || { x: left, y: (top + bottom) / 2 };
    const x = along(left, right, width * scale, wanted.x);
    const y = parts && centre ? centre.y - (height * scale) / 2 : along(top, bottom, height * scale, wanted.y);
    this.box = { x, y, scale };
    this.size = { width, height };
    this.apply();
  }
}

const graphWindow = new Window(at("graph"));

function drawGraph(moved) {
  const { nodes, edges, path, first, here } = view.graph;
  const least = nodes.reduce((low, node) => Math.min(low, node.level), Infinity);
  const columns = [];
  nodes.forEach((node, index) => (columns[node.level - least] ||= []).push(index));
  const before = nodes.map(() => []);
  const after = nodes.map(() => []);
  for (const [from, to] of edges) {
    if (nodes[to].level === nodes[from].level + 1) {
      before[to].push(from);
      after[from].push(to);
    }
  }
  const y = heights(columns, (node) => before[node], (node) => after[node]);
  const x = (node) => (nodes[node].level - least) * COLUMN;
  const taken = new Map(); // pairs on the path: taken, or ahead
  path.forEach((node, index) => {
    if (index) taken.set(path[index - 1] + " " + node, first + index <= view.here ? "path" : "ahead");
  });
  const place = new Map();
  path.forEach((node, index) => place.set(node, first + index <= view.here ? "path" : place.get(node) || "ahead"));
  const choice = view.choices[chosen];
  const lines = [];
  const tags = [];
  for (const [from, to, label] of edges) {
    const isChosen = choice && from === here && label === choice.label;
    const kind = isChosen ? "chosen" : taken.get(from + " " + to) || "";
    const [a, b, c, d] = [x(from), y.get(from), x(to), y.get(to)];
    const on = c > a;
    const bend = on ? COLUMN / 2 : 40;
    const lift = on ? 0 : -(26 + Math.abs(a - c) * 0.12);
    const curve = from === to
      ? `M ${a - 4} ${b - 6} C ${a - 22} ${b - 30}, ${a + 22} ${b - 30}, ${a + 4} ${b - 6}`
      : `M ${a} ${b} C ${a + bend} ${b + lift}, ${c - bend} ${d + lift}, ${c} ${d}`;
    const line = shape("path", { class: `edge ${kind}${on ? "" : " back"}`, d: curve }, label);
    kind ? lines.push(line) : lines.unshift(line);
    if ((kind && on) || isChosen) {
      const short = label.length > 14 ? label.slice(0, 13) + "…" : label;
      tags.push(tag((a + c) / 2 - short.length * 3.3, (b + d) / 2 - 6 + lift, short, isChosen ? "tag chosen" : "tag"));
    }
  }
  const dots = nodes.map((node, index) => {
    const kind = ["node", node.visited && "visited", place.get(index), node.violated && "bad", index === here && "here"];
    const dot = shape("circle", {
      class: kind.filter(Boolean).join(" "),
      cx: x(index), cy: y.get(index), r: index === here ? 9 : node.visited || place.has(index) ? 6.5 : 4.5,
    }, `state ${node.name}, distance ${node.level}`);
    dot.onclick = () => ask({ do: "visit", node: index, version: 0 });
    return dot;
  });
  at("graph").replaceChildren(...lines, ...dots, ...tags);
  at("size").textContent = `· ${nodes.length} states, ${edges.length} steps`;
  const all = [...y.values()];
  graphWindow.extent = {
    left: -40, right: (columns.length - 1) * COLUMN + 40,
    top: all.reduce((a, b) => Math.min(a, b), 0) - 40, bottom: all.reduce((a, b) => Math.max(a, b), 0) + 40,
  };
  if (moved) graphWindow.fit(false, { x: x(here), y: y.get(here) });
}

function fit() {
  (at("view-graph").hidden ? highwayWindow : graphWindow).fit(true);
}
