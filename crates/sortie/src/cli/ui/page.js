"use strict";
// What is shown, and what keys and buttons do. The pictures are in the files after this one.

const at = (id) => document.getElementById(id);
const token = new URLSearchParams(location.search).get("token") || "";
let view = null; // the last answer of the server
let chosen = 0; // which of its choices is chosen
let player = null; // the timer, while the path is played
let asked = Promise.resolve(); // requests are sent one after another

function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === false || value == null) continue;
    if (key === "class") element.className = value;
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

async function post(command) {
  const response = await fetch("/api", {
    method: "POST",
    headers: { "Content-Type": "application/json", Authorization: "Bearer " + token },
    body: JSON.stringify({ filter: at("filter").value, command }),
  });
  return response.json();
}

// Sends a command and shows the answer. Commands that mean what is shown say so by its version.
function ask(command) {
  asked = asked.then(async () => {
    const answer = await post("version" in command ? { ...command, version: view.version } : command);
    if ("version" in answer) {
      const moved = !view || view.version !== answer.version;
      view = answer;
      show(moved);
    }
    say(answer.error || answer.message || "", Boolean(answer.error));
    return answer;
  }).catch((error) => {
    pause();
    say("the server does not answer: " + error.message, true);
  });
  return asked;
}

function say(text, failed) {
  at("message").textContent = text;
  at("message").className = failed ? "failed" : "";
}

function show(moved) {
  at("model").textContent = view.model;
  document.title = view.model + " · sortie";
  at("where").textContent = `step ${view.here} of ${view.length}`;
  at("property").textContent = view.property || "";
  at("violated").replaceChildren(...view.violated.map((name) => make("span", {}, name)));
  at("undo").disabled = at("back").disabled = at("first").disabled = view.here === 0;
  at("redo").disabled = at("on").disabled = at("last").disabled = view.here === view.length;
  at("slider").max = view.length;
  at("slider").value = view.here;
  if (moved) {
    const ahead = view.choices.findIndex((choice) => choice.ahead);
    chosen = Math.max(0, ahead);
  }
  showChoices();
  showState();
  showPath();
  drawGraph(moved);
  markHighway();
}

function showChoices() {
  const all = view.whole ? String(view.all) : `${view.all} of many`;
  at("counted").textContent = view.fitting === view.all ? all : `${view.fitting} of ${all}`;
  at("note").hidden = !view.note;
  at("note").textContent = view.note || "";
  at("draw").hidden = view.whole;
  chosen = Math.min(chosen, Math.max(0, view.choices.length - 1));
  const rows = [];
  let component = null;
  view.choices.forEach((choice, index) => {
    if (choice.component && choice.component !== component) {
      component = choice.component;
      rows.push(make("h3", {}, component));
    }
    const aside = [choice.chance, choice.with.length ? "with " + choice.with.join(", ") : null].filter(Boolean);
    const kind = ["choice", choice.violates && "violates", choice.ahead && "ahead"].filter(Boolean).join(" ");
    const row = make("div", { class: kind, role: "option", id: "choice-" + index, "aria-selected": String(index === chosen) },
      make("b", {}, String(choice.number)), make("code", {}, choice.label), make("small", { title: aside.join(" · ") }, aside.join(" · ")));
    row.onclick = () => { choose(index); take(); };
    rows.push(row);
    if (index === chosen && choice.changes.length) rows.push(effect(choice.changes));
  });
  if (!view.all && !view.note) rows.push(make("div", { class: "empty" }, "Nothing more can happen."));
  else if (!view.fitting && view.all) rows.push(make("div", { class: "more" }, "No step fits the filter."));
  if (view.fitting > view.choices.length) {
    rows.push(make("div", { class: "more" }, `${view.fitting - view.choices.length} more: filter to see them`));
  }
  at("choices").replaceChildren(...rows);
  at("choices").setAttribute("aria-activedescendant", "choice-" + chosen);
  const row = at("choice-" + chosen);
  if (row) row.scrollIntoView({ block: "nearest" });
}

function effect(changes) {
  const line = make("div", { class: "effect" });
  changes.slice(0, 12).forEach((change, index) => {
    line.append(index ? ", " : "", `${change.name}: ${change.before || "∅"} → `, make("em", {}, change.value));
  });
  return line;
}

function showState() {
  at("fields").replaceChildren(...view.state.map((field) => {
    const value = make("td", {});
    if (field.before) value.append(make("i", {}, field.before + " → "));
    value.append(field.value);
    return make("tr", { class: field.before == null ? null : "changed" }, make("td", {}, field.name), value);
  }));
  const changed = at("fields").querySelector(".changed");
  if (changed) changed.scrollIntoView({ block: "nearest" });
}

function showPath() {
  const rows = [];
  const row = (step, label, parts) => {
    const item = make("li", { class: step > view.here ? "ahead" : null, "aria-current": step === view.here ? "step" : null },
      make("b", {}, String(step)), make("code", {}, label), make("small", { title: parts.join(", ") }, parts.join(", ")));
    item.onclick = () => ask({ do: "go", step, version: 0 });
    rows.push(item);
    if (view.cycle === step) rows.push(make("li", { class: "loop" }, "↻ from here on it goes round"));
  };
  row(view.first, view.first ? "…" : "the beginning", []);
  view.path.forEach((taken, index) => row(view.first + index + 1, taken.label, taken.parts));
  at("taken").replaceChildren(...rows);
  const current = at("taken").querySelector("[aria-current]");
  if (current) current.scrollIntoView({ block: "nearest" });
  at("left").replaceChildren();
  if (view.left.length) {
    const last = view.left.length;
    const { length, common } = view.left[last - 1];
    const button = make("button", { title: `${length} steps, the first ${common} in common` }, `back to the path that was left (${last})`);
    button.onclick = () => ask({ do: "branch", number: last, version: 0 });
    at("left").append(button);
  }
}

function choose(index) {
  if (!view || !view.choices.length) return;
  chosen = Math.max(0, Math.min(index, view.choices.length - 1));
  showChoices();
  drawGraph(false);
}

function take() {
  const choice = view && view.choices[chosen];
  if (choice) ask({ do: "take", number: choice.number, version: 0 });
}

function random() {
  const steps = Math.max(1, Math.floor(Number(at("count").value)) || 1);
  ask({ do: "random", steps });
}

const go = (step) => view && ask({ do: "go", step, version: 0 });

function pause() {
  clearTimeout(player);
  player = null;
  at("play").textContent = "Play";
}

// Goes on step by step; on a loop, for ever.
function play() {
  if (player !== null) return pause();
  if (!view || !view.length) return say("there is no path to play: take steps, or load a witness", true);
  at("play").textContent = "Pause";
  const loops = view.cycle != null;
  if (view.here === view.length && !loops) go(0);
  const tick = async () => {
    if (view.here < view.length) await ask({ do: "redo", steps: 1 });
    else if (view.cycle != null) await go(Math.min(view.cycle + 1, view.length));
    const over = view.here === view.length && view.cycle == null;
    if (player !== null) over ? pause() : (player = setTimeout(tick, Number(at("speed").value)));
  };
  player = setTimeout(tick, Number(at("speed").value));
}

async function save() {
  const answer = await ask({ do: "save" });
  if (!answer || !answer.witness) return;
  const link = make("a", { download: view.model.replace(/[^\w.-]+/g, "-") + ".witness" });
  link.href = URL.createObjectURL(new Blob([answer.witness], { type: "application/json" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  say("the way to here was saved as a witness", false);
}

function openTab(name) {
  for (const tab of ["graph", "highway"]) {
    at("tab-" + tab).setAttribute("aria-selected", String(tab === name));
    at("view-" + tab).hidden = tab !== name;
  }
  if (name === "graph" && view) drawGraph(true);
  if (name === "highway") openHighway();
}

const KEYS = {
  ArrowDown: () => choose(chosen + 1), j: () => choose(chosen + 1),
  ArrowUp: () => choose(chosen - 1), k: () => choose(chosen - 1),
  Enter: take,
  u: () => ask({ do: "undo", steps: 1 }), ArrowLeft: () => ask({ do: "undo", steps: 1 }),
  r: () => ask({ do: "redo", steps: 1 }), ArrowRight: () => ask({ do: "redo", steps: 1 }),
  n: random, " ": play,
  Home: () => go(0), End: () => view && go(view.length),
  "/": () => at("filter").focus(),
  g: () => openTab("graph"), h: () => openTab("highway"), f: () => fit(),
  "?": () => at("help").showModal(),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || at("help").open) return;
  const place = event.target;
  if (place.matches("input:not([type=range]), select")) {
    if (event.key === "Escape") place.blur();
    return;
  }
  // A focused button is pressed by these keys.
  if (place.matches("button") && (event.key === "Enter" || event.key === " ")) return;
  const action = KEYS[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

at("undo").onclick = at("back").onclick = () => ask({ do: "undo", steps: 1 });
at("redo").onclick = at("on").onclick = () => ask({ do: "redo", steps: 1 });
at("first").onclick = () => go(0);
at("last").onclick = () => go(view.length);
at("random").onclick = random;
at("play").onclick = play;
at("slider").oninput = () => go(Number(at("slider").value));
at("load").onclick = () => at("file").click();
at("save").onclick = save;
at("keys").onclick = () => at("help").showModal();
at("draw").onclick = () => ask({ do: "draw" });
at("filter").oninput = () => ask({ do: "view" });
at("filter").onkeydown = (event) => { if (event.key === "Enter") { at("filter").blur(); at("choices").focus(); } };
at("tab-graph").onclick = () => openTab("graph");
at("tab-highway").onclick = () => openTab("highway");
at("fit").onclick = () => fit();
at("bylabel").onsubmit = (event) => {
  event.preventDefault();
  const text = at("label").value.trim();
  if (text) ask({ do: "label", text }).then(() => { at("label").value = ""; });
};
at("file").onchange = async () => {
  const [file] = at("file").files;
  if (file) await ask({ do: "load", text: await file.text() });
  at("file").value = "";
};
