"use strict";
(() => {
  document.documentElement.classList.add("scripted");
  const witnesses = JSON.parse(document.getElementById("witnesses").textContent);

  /** One witness: its elements, and the step it stands at. */
  class Player {
    constructor(section, witness) {
      this.section = section;
      this.witness = witness;
      this.last = witness.steps.length;
      this.slider = section.querySelector(".player input");
      this.output = section.querySelector(".player output");
      this.heading = section.querySelector(".state h3");
      this.rows = section.querySelector(".state tbody");
      this.only = section.querySelector(".state input");
      this.marked = [...section.querySelectorAll("[data-step]")];
      this.only.addEventListener("change", () => this.show());
      section.addEventListener("pointerdown", () => { current = this; });
      section.addEventListener("focusin", () => { current = this; });
      if (this.slider) {
        this.slider.addEventListener("input", () => this.go(Number(this.slider.value)));
        for (const button of section.querySelectorAll("[data-go]")) {
          button.addEventListener("click", () => this.command(button.dataset.go));
        }
        for (const row of this.marked) {
          row.addEventListener("click", () => this.go(Number(row.dataset.step)));
        }
      }
      this.at = 0;
      this.show();
    }

    command(name) {
      const targets = { first: 0, back: this.at - 1, on: this.at + 1, last: this.last };
      this.go(targets[name]);
    }

    go(step) {
      this.at = Math.min(Math.max(step, 0), this.last);
      this.show();
      this.reveal();
    }

    /** The values of all fields after so many steps. */
    state(steps) {
      const values = [...this.witness.start];
      for (const [, changes] of this.witness.steps.slice(0, steps)) {
        for (const [field, after] of changes) values[field] = after;
      }
      return values;
    }

    show() {
      const { at, witness } = this;
      this.section.dataset.at = at;
      if (this.slider) {
        this.slider.value = at;
        this.output.textContent = at === 0 ? `before the first of ${this.last} steps` : `step ${at} of ${this.last}: `;
        if (at > 0) this.output.append(element("code", witness.steps[at - 1][0]));
        if (witness.cycle !== null && at > witness.cycle) this.output.append(" (on the loop)");
      }
      for (const row of this.marked) {
        const step = Number(row.dataset.step);
        row.classList.toggle("now", step === at);
        row.classList.toggle("later", at > 0 && step > at);
      }
      this.heading.textContent = at === 0 ? "Initial state" : `State after step ${at}`;
      const before = at === 0 ? null : this.state(at - 1);
      const after = this.state(at);
      this.rows.replaceChildren();
      after.forEach((value, field) => {
        const changed = before !== null && before[field] !== value;
        if ((value === null && !changed) || (this.only.checked && !changed)) return;
        const row = this.rows.insertRow();
        row.classList.toggle("changed", changed);
        row.insertCell().textContent = witness.fields[field];
        const cell = row.insertCell();
        if (changed && before[field] !== null) cell.append(element("del", before[field]), " → ");
        cell.append(changed ? element("ins", value ?? "gone") : value);
      });
    }

    /** Scrolls within the lanes and the state, never the page. */
    reveal() {
      const lanes = this.section.querySelector(".lanes");
      const row = lanes && lanes.querySelector(".row.now");
      if (row) {
        const head = lanes.querySelector("thead").getBoundingClientRect().height;
        scrollTo(lanes, row, head);
        const dots = [...row.querySelectorAll("circle")].map((dot) => dot.getBoundingClientRect());
        if (dots.length > 0) {
          const box = lanes.getBoundingClientRect();
          const [first, last] = [dots[0].left - 40, dots[dots.length - 1].right + 120];
          if (first < box.left) lanes.scrollLeft -= box.left - first;
          else if (last > box.right) lanes.scrollLeft += Math.min(last - box.right, first - box.left);
        }
      }
      const panel = this.section.querySelector(".state");
      const changed = panel.querySelector(".changed");
      if (changed) scrollTo(panel, changed, 0);
      if (this.at === 0) {
        panel.scrollTop = 0;
        if (lanes) lanes.scrollTop = 0;
      }
    }
  }

  function element(name, text) {
    const made = document.createElement(name);
    made.textContent = text;
    return made;
  }

  function scrollTo(box, inner, head) {
    const outside = box.getBoundingClientRect();
    const inside = inner.getBoundingClientRect();
    if (inside.top < outside.top + head) box.scrollTop -= outside.top + head - inside.top;
    if (inside.bottom > outside.bottom) box.scrollTop += inside.bottom - outside.bottom;
  }

  let current = null;
  const sections = [...document.querySelectorAll(".witness")];
  const players = sections.map((section) => new Player(section, witnesses[Number(section.dataset.witness)]));
  current = players[0] ?? null;

  const KEYS = { ArrowRight: "on", j: "on", ArrowLeft: "back", k: "back", Home: "first", End: "last" };
  document.addEventListener("keydown", (event) => {
    if (!current || event.ctrlKey || event.altKey || event.metaKey) return;
    const name = Object.hasOwn(KEYS, event.key) ? KEYS[event.key] : null;
    if (name === null) return;
    event.preventDefault();
    current.command(name);
  });

  const copy = document.getElementById("copy");
  if (copy) {
    copy.addEventListener("click", async () => {
      const command = document.getElementById("command");
      try {
        await navigator.clipboard.writeText(command.textContent);
      } catch {
        // Not every browser lets a page from disk write there; a selection can always be copied.
        getSelection().selectAllChildren(command);
        document.execCommand("copy");
      }
      copy.textContent = "Copied";
      setTimeout(() => { copy.textContent = "Copy"; }, 1500);
    });
  }

  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
})();
