// The slot editor: text, slots, keys, mouse, undo. It knows nothing of the server; whoever makes
// one says what happens on a change and on Ctrl+Enter.

import { listenKeys } from "./keyboard.js";
import { listenPointer, Picker } from "./pointer.js";
import { glyph, Slots } from "./slots.js";

export class Editor {
  /** @param root the element of editor.html; @param options table, t, onChange(labels), onSubmit(), onClose() */
  constructor(root, options) {
    Object.assign(this, options);
    this.root = root;
    this.part = (name) => root.querySelector(`[data-is="${name}"]`);
    this.sink = this.part("sink");
    this.text = this.part("text");
    this.slots = new Slots(this.text, this.table, this.t);
    this.picker = new Picker(this.part("picker"), (label) => this.put(this.slots.current, label), () => this.focus());
    this.locked = false;
    const act = {
      move: (to) => this.move(to),
      doubtful: (step) => this.jump(step),
      mark: (name) => this.typed(name),
      undo: () => this.step(this.done, this.undone),
      redo: () => this.step(this.undone, this.done),
      submit: () => this.onSubmit(),
      close: () => this.onClose?.(),
      pick: (i = this.slots.current) => this.pick(i),
      cycle: (i) => this.cycle(i),
      select: (i) => this.select(i),
      focus: () => this.focus(),
      listens: () => this.isReady && root.offsetParent !== null && !root.querySelector("dialog[open]"),
    };
    this.act = act;
    listenKeys(this.sink, act);
    listenPointer(this.text, act);
    this.part("surface").addEventListener("mousedown", (event) => {
      if (event.target === event.currentTarget) {
        event.preventDefault();
        this.focus();
      }
    });
    this.part("palette").addEventListener("mousedown", (event) => event.preventDefault());
    this.part("palette").addEventListener("click", (event) => {
      const key = event.target.closest("[data-label]");
      if (key) this.put(this.slots.current, Number(key.dataset.label));
    });
  }

  /** Show a transcript; `labels`, where given, takes the place of the stored ones. */
  open(work, labels = null) {
    this.work = work;
    this.done = [];
    this.undone = [];
    this.choices = work.marks.map((name) => this.table.findIndex((mark) => mark.name === name));
    this.slots.open(work);
    if (labels) labels.forEach((label, i) => this.slots.set(i, label));
    this.drawPalette();
    const first = this.slots.isDoubtful(0) ? 0 : this.slots.nextDoubtful(1);
    this.select(Math.max(0, first));
  }

  get labels() {
    return this.slots.labels;
  }

  get isReady() {
    return Boolean(this.work) && this.slots.length > 0 && !this.locked;
  }

  focus() {
    this.sink.focus({ preventScroll: true });
  }

  /** Replace all labels as one undoable change (the other side of a conflict). */
  replace(labels) {
    this.change(labels.map((label, i) => [i, this.labels[i], label]).filter(([, from, to]) => from !== to));
  }

  put(i, label) {
    if (!this.isReady) return;
    this.select(i);
    if (this.labels[i] !== label) this.change([[i, this.labels[i], label]]);
  }

  change(steps) {
    if (!steps.length) return;
    for (const [i, , to] of steps) this.slots.set(i, to);
    this.done.push(steps);
    this.undone.length = 0;
    this.changed();
  }

  step(from, to) {
    if (!this.isReady || !from.length) return;
    const steps = from.pop();
    const back = steps.map(([i, before, after]) => [i, after, before]);
    for (const [i, , label] of back) this.slots.set(i, label);
    to.push(back);
    this.select(back[0][0]);
    this.changed();
  }

  changed() {
    this.tell();
    this.onChange(this.labels);
  }

  typed(name) {
    if (!this.isReady) return;
    const label = this.table.findIndex((mark) => mark.name === name);
    if (this.choices.includes(label)) this.put(this.slots.current, label);
    else this.tell(this.t("editor.not_in_set", { mark: this.t(`mark.${name}`) }));
  }

  cycle(i) {
    if (!this.isReady) return;
    const at = this.choices.indexOf(this.labels[i]);
    this.put(i, this.choices[(at + 1) % this.choices.length]);
  }

  pick(i) {
    if (!this.isReady) return;
    this.select(i);
    const choices = this.choices.map((label, at) => {
      const p = this.work.probabilities?.[i]?.[at];
      return {
        label,
        glyph: glyph(this.table[label], this.slots.cells[i].full).trim(),
        name: this.t(`mark.${this.table[label].name}`),
        percent: p === undefined ? "" : `${Math.round(100 * p)} %`,
        now: this.labels[i] === label,
      };
    });
    this.picker.open(this.slots.elements[i], choices, this.slots.describe(i));
  }

  select(i) {
    if (!this.slots.length) return;
    this.slots.moveTo(i);
    this.placeSink();
    this.tell();
  }

  move(to) {
    if (!this.isReady) return;
    const { slots } = this;
    const go = {
      left: () => slots.current - 1,
      right: () => slots.current + 1,
      up: () => slots.onLine(-1),
      down: () => slots.onLine(1),
      home: () => slots.lineEnd(-1),
      end: () => slots.lineEnd(1),
      first: () => 0,
      last: () => slots.length - 1,
    }[to]();
    if (go >= 0) this.select(go);
  }

  /** Go to the next doubtful slot; false where there is none, so that Tab leaves as usual. */
  jump(step) {
    if (!this.isReady) return false;
    const to = this.slots.nextDoubtful(step);
    if (to < 0) return false;
    this.select(to);
    return true;
  }

  /** The input method opens its window where the sink is: at the current slot. */
  placeSink() {
    const host = this.part("surface").getBoundingClientRect();
    const at = this.slots.place(this.slots.current);
    this.sink.style.left = `${at.x - host.left}px`;
    this.sink.style.top = `${at.y - host.top + at.height / 2}px`;
  }

  /** Say where we are and what is there, for eyes and for screen readers. */
  tell(message = "") {
    this.part("here").textContent = message || this.slots.describe(this.slots.current);
    this.part("here").classList.toggle("ip-warn", Boolean(message));
    const now = this.labels[this.slots.current];
    for (const key of this.part("palette").children) {
      key.setAttribute("aria-pressed", String(Number(key.dataset.label) === now));
    }
    this.part("undo")?.toggleAttribute("disabled", !this.done.length);
    this.part("redo")?.toggleAttribute("disabled", !this.undone.length);
  }

  drawPalette() {
    const full = this.work.language === "zh";
    const keys = { NONE: "␣", PARAGRAPH: "⇧↵" };
    this.part("palette").replaceChildren(
      ...this.choices.map((label) => {
        const mark = this.table[label];
        const key = document.createElement("button");
        key.type = "button";
        key.tabIndex = -1;
        key.dataset.label = label;
        const sign = document.createElement("kbd");
        sign.textContent = keys[mark.name] ?? glyph(mark, full).trim();
        key.append(sign, this.t(`mark.${mark.name}`));
        return key;
      }),
    );
  }
}
