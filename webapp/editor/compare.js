// Two sets of marks for one text, side by side, and their differences in words.

import { cut, glyph } from "./slots.js";

const CONTEXT = 14; // units around a difference in a long text
const LONG = 400;

/** Fill `root` with the comparison.
 * @param work text, units, language; @param left, right {title, labels}; @param table, t as Slots. */
export function compare(root, work, left, right, table, t) {
  const { lead, cells } = cut(work);
  const differ = cells.map((_, i) => i).filter((i) => left.labels[i] !== right.labels[i]);
  const name = (label) => t(`mark.${table[label].name}`);

  const column = (side) => {
    const box = make("section", "ip-side");
    box.append(make("h4", "", side.title));
    const text = make("p", "ip-side-text");
    text.lang = work.language === "zh" ? "zh-CN" : work.language;
    if (cells.length <= LONG || !differ.length) text.append(lead);
    let shown = -1;
    for (const [from, to] of stretches(differ, cells.length)) {
      if (from > shown + 1) text.append(make("span", "ip-elided", " … "));
      for (let i = from; i < to; i += 1) text.append(...drawn(i, side));
      shown = to - 1;
    }
    if (shown < cells.length - 1) text.append(make("span", "ip-elided", " …"));
    box.append(text);
    return box;
  };

  const drawn = (i, side) => {
    const cell = cells[i];
    const mark = glyph(table[side.labels[i]], cell.full);
    const differs = left.labels[i] !== right.labels[i];
    if (!differs) return [cell.text, cell.before, mark, cell.after];
    const slot = make("mark", mark.trim() ? "ip-diff" : "ip-diff ip-diff-none", mark);
    slot.dataset.at = i;
    slot.title = `${name(left.labels[i])} → ${name(right.labels[i])}`;
    return [cell.text, cell.before, slot, cell.after];
  };

  const list = make("ol", "ip-differences");
  for (const i of differ.slice(0, 200)) {
    const item = make("li");
    const jump = make("button", "", t("compare.difference", {
      unit: cells.slice(Math.max(0, i - 3), i + 1).map((c) => c.text + c.before + c.after).join("").trim(),
      left: name(left.labels[i]),
      right: name(right.labels[i]),
    }));
    jump.type = "button";
    jump.dataset.jump = i;
    item.append(jump);
    list.append(item);
  }
  list.addEventListener("click", (event) => {
    const at = event.target.closest("[data-jump]")?.dataset.jump;
    if (at === undefined) return;
    for (const slot of root.querySelectorAll("mark.ip-diff")) {
      slot.classList.toggle("ip-found", slot.dataset.at === at);
    }
    root.querySelector(`mark[data-at="${at}"]`)?.scrollIntoView({ block: "center" });
  });

  const sides = make("div", "ip-sides");
  sides.append(column(left), column(right));
  const count = differ.length ? t("compare.count", { n: differ.length }) : t("compare.same");
  root.replaceChildren(make("p", "ip-compare-count", count), sides, list);
}

/** Which units to show: all of a short text, else those around differences. */
function stretches(differ, length) {
  if (length <= LONG) return [[0, length]];
  if (!differ.length) return [[0, Math.min(length, 2 * CONTEXT)]];
  const out = [];
  for (const i of differ) {
    const from = Math.max(0, i - CONTEXT);
    const to = Math.min(length, i + CONTEXT + 1);
    if (out.length && from <= out[out.length - 1][1]) out[out.length - 1][1] = to;
    else out.push([from, to]);
  }
  return out;
}

function make(tag, className = "", text = "") {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text) element.textContent = text;
  return element;
}
