// The text as units with a slot after each: drawing it once, and changing one slot at a time.
//
// Labels are canonical mark ids (the position in `table`). Offsets are code points, as the
// server counts them; JavaScript's own UTF-16 indices never leave `cut`.

const HAN = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u30fc\u3005\u3007]/u;
const LETTER = /\p{L}/u;
const SPACE = /\s/u;
const OPENING = /[\p{Ps}¿¡‘“‚„‹«「『《〈【（(［[｛{]/u;

/** Cut a text into its lead and units: [{text, before, after, full}], `before` being the part of
 * the gap that a mark comes after (a closing quote), `after` the rest. */
export function cut(work) {
  const points = Array.from(work.text);
  const piece = (from, to) => points.slice(from, to).join("");
  const units = work.units;
  const lead = piece(0, units.length ? units[0][0] : points.length);
  let full = work.language === "zh";
  let quotes = lead.split('"').length - 1;
  const cells = units.map(([start, end], i) => {
    const text = piece(start, end);
    if (LETTER.test(text)) full = HAN.test(text);
    const gap = points.slice(end, i + 1 < units.length ? units[i + 1][0] : points.length);
    let at = 0;
    let quoted = quotes % 2 === 1;
    while (at < gap.length && !SPACE.test(gap[at]) && !OPENING.test(gap[at])) {
      if (gap[at] === '"') {
        if (!quoted) break;
        quoted = false;
      }
      at += 1;
    }
    quotes += gap.filter((c) => c === '"').length;
    return { text, before: gap.slice(0, at).join(""), after: gap.slice(at).join(""), full };
  });
  return { lead, cells };
}

/** What is drawn for a mark. */
export function glyph(mark, full) {
  return (full ? mark.full : mark.ascii).replace("\u2029", "¶");
}

/** Three levels of doubt, 0 for none: how far the likeliest mark lies below the threshold. */
export function doubtLevels(work) {
  const threshold = work.doubt_threshold ?? 0.7;
  return work.units.map((_, i) => {
    if (!work.doubtful?.[i]) return 0;
    if (!work.probabilities) return 2; // doubted by people, not by a model
    const top = Math.max(...work.probabilities[i]);
    return top >= threshold - 0.12 ? 1 : top >= threshold - 0.25 ? 2 : 3;
  });
}

export class Slots {
  /** @param root where to draw; @param table the ten marks; @param t the strings. */
  constructor(root, table, t) {
    this.root = root;
    this.table = table;
    this.t = t;
    this.elements = [];
    this.labels = [];
    this.current = 0;
  }

  open(work) {
    this.work = work;
    const { lead, cells } = cut(work);
    this.cells = cells;
    this.labels = [...work.labels];
    this.suggested = work.suggested ?? null;
    this.doubt = doubtLevels(work);
    this.current = 0;
    const fragment = document.createDocumentFragment();
    fragment.append(lead);
    this.elements = cells.map((cell, i) => {
      const unit = document.createElement("span");
      unit.className = "ip-unit";
      unit.dataset.unit = i;
      unit.textContent = cell.text;
      const slot = document.createElement("span");
      slot.className = "ip-slot";
      slot.dataset.slot = i;
      slot.setAttribute("role", "button");
      slot.tabIndex = -1;
      fragment.append(unit, cell.before, slot, cell.after);
      // The joiner in an empty slot keeps it on its unit's line; the break comes after it.
      if (cell.full && !cell.after) fragment.append(document.createElement("wbr"));
      return slot;
    });
    cells.forEach((_, i) => this.draw(i));
    this.root.replaceChildren(fragment);
    this.root.lang = { zh: "zh-CN" }[work.language] ?? work.language;
    this.root.dataset.han = String(work.language === "zh");
  }

  get length() {
    return this.cells.length;
  }

  isDoubtful(i) {
    return this.doubt[i] > 0;
  }

  /** Change one slot; nothing else on the page is touched. Returns the label before. */
  set(i, label) {
    const before = this.labels[i];
    if (before !== label) {
      this.labels[i] = label;
      this.draw(i);
    }
    return before;
  }

  draw(i) {
    const slot = this.elements[i];
    const label = this.labels[i];
    const cell = this.cells[i];
    const changed = this.suggested !== null && this.suggested[i] !== label;
    slot.textContent = glyph(this.table[label], cell.full) || "\u2060";
    const classes = ["ip-slot"];
    if (label) classes.push("ip-marked");
    if (this.doubt[i]) classes.push(`ip-doubt-${this.doubt[i]}`);
    if (changed) classes.push("ip-changed");
    if (i === this.current) classes.push("ip-current");
    slot.className = classes.join(" ");
    if (changed && !label) slot.dataset.was = glyph(this.table[this.suggested[i]], cell.full).trim();
    else delete slot.dataset.was;
    slot.setAttribute("aria-label", this.describe(i));
  }

  moveTo(i) {
    const to = Math.max(0, Math.min(this.length - 1, i));
    this.elements[this.current]?.classList.remove("ip-current");
    this.current = to;
    const slot = this.elements[to];
    if (!slot) return;
    slot.classList.add("ip-current");
    slot.scrollIntoView({ block: "nearest" });
  }

  /** In words: "after 'niet': comma, suggested, 62 %". */
  describe(i) {
    const name = this.t(`mark.${this.table[this.labels[i]].name}`);
    const unit = this.cells[i].text;
    if (this.suggested === null) return this.t("editor.slot_blind", { unit, mark: name });
    const was = this.suggested[i];
    if (!this.work.probabilities) return this.t("editor.slot_blind", { unit, mark: name });
    const at = this.work.marks.indexOf(this.table[was].name);
    const p = Math.round(100 * (this.work.probabilities?.[i]?.[at] ?? 0));
    return was === this.labels[i]
      ? this.t("editor.slot_suggested", { unit, mark: name, p })
      : this.t("editor.slot_changed", { unit, mark: name, was: this.t(`mark.${this.table[was].name}`), p });
  }

  nextDoubtful(step) {
    for (let i = this.current + step; i >= 0 && i < this.length; i += step) {
      if (this.doubt[i]) return i;
    }
    return -1;
  }

  /** The slot one visual line up or down, nearest to where the current one stands. */
  onLine(step) {
    const from = this.place(this.current);
    let best = -1;
    let line = null;
    for (let i = this.current + step; i >= 0 && i < this.length; i += step) {
      const at = this.place(i);
      if (Math.abs(at.y - from.y) < at.height / 2) continue;
      if (line === null) line = at.y;
      if (Math.abs(at.y - line) >= at.height / 2) break;
      if (best < 0 || Math.abs(at.x - from.x) < Math.abs(this.place(best).x - from.x)) best = i;
    }
    return best;
  }

  /** The first (-1) or last (+1) slot of the current visual line. */
  lineEnd(step) {
    const from = this.place(this.current);
    let last = this.current;
    for (let i = this.current + step; i >= 0 && i < this.length; i += step) {
      const at = this.place(i);
      if (Math.abs(at.y - from.y) >= at.height / 2) break;
      last = i;
    }
    return last;
  }

  place(i) {
    const boxes = this.elements[i].getClientRects();
    const box = boxes[boxes.length - 1] ?? this.elements[i].getBoundingClientRect();
    return { x: box.left + box.width / 2, y: box.top + box.height / 2, height: box.height || 20 };
  }
}
