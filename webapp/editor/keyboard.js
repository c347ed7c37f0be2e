// Keys and input methods. All text arrives in one hidden textarea (the sink), so that an input
// method has a place to compose in. Rules: while something is composed, no key means anything;
// what a composition leaves behind counts only if it is nothing but a mark.

const TYPED = {
  COMMA: ",，﹐､",
  PERIOD: ".。．｡",
  QUESTION: "?？",
  COLON: ":：",
  SEMICOLON: ";；",
  EXCLAMATION: "!！",
  ENUMERATION: "、\\",
  DASH: "—–-－",
  PARAGRAPH: "¶",
};
const MARK_OF = new Map(Object.entries(TYPED).flatMap(([name, chars]) => [...chars].map((c) => [c, name])));

/** The mark that a typed text stands for: a name, "NONE" for a space, null for anything else. */
export function markOf(text) {
  if (text === " " || text === "\u3000") return "NONE";
  const names = new Set([...text].map((c) => MARK_OF.get(c)));
  return names.size === 1 ? ([...names][0] ?? null) : null;
}

/** Listen on the sink. `act` has: move(to), doubtful(step), mark(name), undo, redo, submit, close,
 * pick, focus, and listens: whether the editor is there to type into. */
export function listenKeys(sink, act) {
  let composing = false;

  const typed = (text) => {
    const name = text ? markOf(text) : null;
    if (name) act.mark(name);
  };

  sink.addEventListener("compositionstart", () => {
    composing = true;
  });
  sink.addEventListener("compositionend", (event) => {
    composing = false;
    typed(event.data ?? "");
    // Some browsers write the text only after this event.
    setTimeout(() => { if (!composing) sink.value = ""; });
  });
  sink.addEventListener("beforeinput", (event) => {
    if (composing || event.isComposing || event.inputType === "insertFromComposition") return;
    if (event.inputType === "insertCompositionText") return;
    event.preventDefault();
    if (event.inputType === "insertText") typed(event.data ?? "");
    else if (event.inputType.startsWith("delete")) act.mark("NONE");
  });
  sink.addEventListener("input", (event) => {
    if (!composing && !event.isComposing) sink.value = "";
  });

  const keydown = (event) => {
    // 229: the input method has the key, also where `isComposing` is not told.
    if (composing || event.isComposing || event.keyCode === 229) return;
    if (command(event) || movement(event)) {
      event.preventDefault();
      event.stopPropagation();
    }
  };
  sink.addEventListener("keydown", keydown);
  // Where the focus is nowhere, keys are meant for the text all the same. Tab is not: it goes
  // through the page. What is typed lands in the sink, for the focus moves before it does.
  document.addEventListener("keydown", (event) => {
    if (document.activeElement !== document.body || event.key === "Tab" || !act.listens()) return;
    act.focus();
    keydown(event);
  });

  function command(event) {
    const ctrl = (event.ctrlKey || event.metaKey) && !event.altKey;
    const key = event.key.toLowerCase();
    if (ctrl && key === "z") return act[event.shiftKey ? "redo" : "undo"](), true;
    if (ctrl && key === "y") return act.redo(), true;
    if (ctrl && key === "enter") return act.submit(), true;
    if (ctrl || event.altKey) return false;
    if (key === "backspace" || key === "delete") return act.mark("NONE"), true;
    if (key === "enter") return event.shiftKey && act.mark("PARAGRAPH"), true;
    if (key === "escape") return act.close(), true;
    if (key === "contextmenu" || (key === "f10" && event.shiftKey)) return act.pick(), true;
    return false;
  }

  function movement(event) {
    if (event.altKey || event.metaKey) return false;
    if (event.key === "Tab" && !event.ctrlKey) return act.doubtful(event.shiftKey ? -1 : 1);
    const far = event.ctrlKey;
    const to = {
      ArrowLeft: "left",
      ArrowRight: "right",
      ArrowUp: "up",
      ArrowDown: "down",
      Home: far ? "first" : "home",
      End: far ? "last" : "end",
    }[event.key];
    if (!to) return false;
    act.move(to);
    return true;
  }
}
