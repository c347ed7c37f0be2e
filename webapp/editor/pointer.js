// Mouse and touch: a click cycles a slot's mark, a right click or a long press opens the picker.

const LONG_PRESS_MS = 500;

/** Listen on the text, by delegation. `act` has: cycle(i), select(i), pick(i), focus(). */
export function listenPointer(text, act) {
  let pressed = null;
  let picked = false;

  const slotAt = (target) => {
    const slot = target.closest?.("[data-slot]");
    if (slot) return { index: Number(slot.dataset.slot), slot: true };
    const unit = target.closest?.("[data-unit]");
    return unit ? { index: Number(unit.dataset.unit), slot: false } : null;
  };

  text.addEventListener("mousedown", (event) => {
    if (event.button === 0 && slotAt(event.target)?.slot) event.preventDefault(); // keep the focus
  });
  text.addEventListener("click", (event) => {
    if (picked) return void (picked = false);
    const hit = slotAt(event.target);
    if (String(getSelection()) && !hit?.slot) return; // somebody is copying words
    if (hit?.slot) act.cycle(hit.index);
    else if (hit) act.select(hit.index);
    act.focus();
  });
  text.addEventListener("contextmenu", (event) => {
    const hit = slotAt(event.target);
    if (!hit) return;
    event.preventDefault();
    act.pick(hit.index);
  });
  text.addEventListener("pointerdown", (event) => {
    const hit = event.pointerType === "mouse" ? null : slotAt(event.target);
    if (!hit) return;
    pressed = setTimeout(() => {
      picked = true;
      act.pick(hit.index);
    }, LONG_PRESS_MS);
  });
  for (const end of ["pointerup", "pointercancel", "pointermove"]) {
    text.addEventListener(end, () => clearTimeout(pressed));
  }
}

/** The picker: a small menu of the project's marks at a slot. */
export class Picker {
  constructor(root, onPick, onClose) {
    this.root = root;
    this.onPick = onPick;
    this.onClose = onClose;
    root.addEventListener("click", (event) => {
      const item = event.target.closest("[data-label]");
      if (item) this.choose(Number(item.dataset.label));
    });
    root.addEventListener("keydown", (event) => this.key(event));
    document.addEventListener("mousedown", (event) => {
      if (this.isOpen && !root.contains(event.target)) this.close();
    });
  }

  get isOpen() {
    return !this.root.hidden;
  }

  /** @param choices [{label, glyph, name, percent, now}] */
  open(slot, choices, title) {
    this.root.setAttribute("aria-label", title);
    this.root.replaceChildren(
      ...choices.map((choice) => {
        const item = document.createElement("button");
        item.type = "button";
        item.setAttribute("role", "menuitemradio");
        item.setAttribute("aria-checked", String(choice.now));
        item.dataset.label = choice.label;
        for (const [tag, text] of [["b", choice.glyph || "·"], ["span", choice.name], ["small", choice.percent]]) {
          item.append(Object.assign(document.createElement(tag), { textContent: text }));
        }
        return item;
      }),
    );
    this.root.hidden = false;
    const host = this.root.offsetParent.getBoundingClientRect();
    const at = slot.getBoundingClientRect();
    const left = Math.min(at.left - host.left, host.width - this.root.offsetWidth - 8);
    const below = at.bottom + this.root.offsetHeight + 8 < innerHeight;
    this.root.style.left = `${Math.max(0, left)}px`;
    this.root.style.top = `${(below ? at.bottom + 6 : at.top - this.root.offsetHeight - 6) - host.top}px`;
    (this.root.querySelector("[aria-checked=true]") ?? this.root.firstElementChild).focus();
  }

  choose(label) {
    this.close();
    this.onPick(label);
  }

  close() {
    if (!this.isOpen) return;
    this.root.hidden = true;
    this.onClose();
  }

  key(event) {
    const items = [...this.root.children];
    const at = items.indexOf(document.activeElement);
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) items[(at + step + items.length) % items.length].focus();
    else if (event.key === "Escape" || event.key === "Tab") this.close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  }
}
