// The Annotate page around the editor: next, drafts, submit, skip, flag, and what is said of them.

import { compare } from "./compare.js";
import { Drafts } from "./drafts.js";
import { Editor } from "./editor.js";
import { fillStrings, post, project, t, table, user } from "./page.js";

const SUGGESTION_MS = 1500;
const STATES = new Set(["ready", "typing", "saving", "saved", "offline", "signed_out", "refused", "conflict"]);

export function mountBench(root) {
  const part = (name) => root.querySelector(`[data-is="${name}"]`);
  fillStrings(root);
  let work = null;
  let busy = false;
  let previous = null;
  let clock = null;
  let later = null;

  const editor = new Editor(root, {
    table,
    t,
    onChange: (labels) => drafts.changed(labels),
    onSubmit: () => submit(),
    onClose: () => editor.picker.close(),
  });
  const drafts = new Drafts({ user: user.id, post, onState: say, onConflict: conflict });

  /** Show how the draft stands, in words. */
  function say(state, detail = "") {
    if (!STATES.has(state)) return;
    const time = new Date().toLocaleTimeString(document.documentElement.lang, { hour: "2-digit", minute: "2-digit" });
    part("saved").textContent = detail || t(`editor.state_${state}`, { time });
    part("saved").dataset.state = state;
  }

  function show(state) {
    root.dataset.state = state;
    for (const name of ["submit", "skip", "flag"]) part(name).disabled = state !== "ready";
  }

  /** Tell something that outlasts the next transcript's arrival. */
  function notice(text, action = null, onAction = null) {
    const box = part("notice");
    box.hidden = !text;
    box.replaceChildren(text);
    if (!action) return;
    const button = Object.assign(document.createElement("button"), { type: "button", textContent: action });
    button.addEventListener("click", onAction);
    box.append(" ", button);
  }

  function open(given) {
    work = { ...given, doubt_threshold: project.doubt_threshold };
    const restored = drafts.begin(work);
    show(work.units.length ? "ready" : "empty");
    editor.open(work, restored);
    if (restored) {
      notice(t("editor.restored"));
      drafts.changed(restored);
    }
    part("document").textContent = work.document || t("editor.transcript", { id: work.transcript_id });
    part("document").title = part("document").textContent;
    part("about").textContent = [
      work.document ? t("editor.position", { n: work.position }) : "",
      t(`language.${work.language}`),
      t("editor.units", { n: work.units.length }),
      work.model ? t("editor.by_model", { model: work.model }) : "",
    ].filter(Boolean).join(" · ");
    const waiting = work.needs_suggestion && work.source === "nothing";
    part("blind").hidden = Boolean(work.probabilities);
    part("blind").textContent = t(waiting ? "editor.suggesting" : "editor.blind");
    clearTimeout(later);
    if (waiting) later = setTimeout(() => suggestionFor(work.transcript_id), SUGGESTION_MS);
    progress(work.counts);
    clock = stopwatch();
    history.replaceState(null, "", address());
    editor.focus();
  }

  /** A suggestion that was not there yet: filled in if nothing has been changed by then. */
  async function suggestionFor(id) {
    const untouched = () => work?.transcript_id === id && !drafts.dirty && !editor.done.length && !busy;
    if (!untouched()) return;
    const answer = await post(`/api/transcripts/${id}/open`);
    if (!answer.ok || !untouched()) return;
    if (answer.data.work.needs_suggestion) later = setTimeout(() => suggestionFor(id), 2 * SUGGESTION_MS);
    else open(answer.data.work);
  }

  function progress(p) {
    if (!p) return;
    part("progress").textContent = t("editor.progress", p);
    part("bar").max = Math.max(1, p.total);
    part("bar").value = p.done;
  }

  /** The page's address without a transcript that it was opened at. */
  function address() {
    const url = new URL(location.href);
    url.searchParams.delete("transcript");
    url.searchParams.delete("slot");
    return url;
  }

  async function next() {
    show("loading");
    const answer = await post(`/api/projects/${project.id}/next`);
    if (!answer.ok) return failed(answer, next);
    if (!answer.data.work) {
      progress(answer.data.counts);
      drafts.stop();
      work = null;
      return show("empty");
    }
    return open(answer.data.work);
  }

  async function openOne(id, slot = null) {
    show("loading");
    const answer = await post(`/api/transcripts/${id}/open`);
    if (!answer.ok) return failed(answer, () => openOne(id, slot));
    open(answer.data.work);
    if (slot !== null) editor.select(slot);
    return undefined;
  }

  function failed(answer, again) {
    const message = answer.data?.message ?? t(answer.status === 0 ? "editor.no_server" : "editor.trouble");
    show(work ? "ready" : "failed");
    notice(message, t("editor.again"), () => {
      notice("");
      again();
    });
  }

  /** Do one thing at a time with the server, after the draft has settled. */
  async function once(what) {
    if (busy || !work || drafts.paused) return;
    busy = true;
    editor.locked = true;
    try {
      await drafts.save();
      if (!drafts.paused) await what();
    } finally {
      busy = false;
      editor.locked = false;
    }
  }

  function submit() {
    return once(async () => {
      const id = work.transcript_id;
      const body = {
        labels: editor.labels,
        based_on: work.based_on,
        draft_number: drafts.number,
        seconds: clock(),
      };
      const answer = await post(`/api/transcripts/${id}/submit`, body);
      if (answer.status === 409) return answer.data.of === "draft" ? unseen(answer.data) : stale(answer.data);
      if (!answer.ok) return failed(answer, submit);
      drafts.end();
      previous = id;
      notice(t("editor.submitted"), t("editor.reopen"), () => openOne(previous));
      return next();
    });
  }

  /** Another tab submitted a version since: both are shown, and the next submit builds on it. */
  function stale(data) {
    choose(data.theirs, editor.labels, (mine) => {
      work.based_on = data.theirs_number;
      if (!mine) editor.replace(data.theirs);
    });
  }

  /** Another tab saved a draft since, which this tab has not seen. */
  function unseen(data) {
    drafts.paused = true;
    conflict(data.theirs, data.theirs_number, editor.labels);
  }

  function conflict(theirs, number, mine) {
    choose(theirs, mine, (keepMine) => {
      editor.replace(keepMine ? mine : theirs);
      clearTimeout(drafts.timer);
      drafts.settle(number, keepMine ? mine : theirs, !keepMine);
    });
  }

  /** Both versions side by side; nothing is overwritten until the person has chosen. */
  function choose(theirs, mine, onChoice) {
    const dialog = part("conflict");
    const left = { title: t("editor.stored"), labels: theirs };
    const right = { title: t("editor.here"), labels: [...mine] };
    compare(part("sides"), work, left, right, table, t);
    part("keep-theirs").onclick = () => (dialog.close(), onChoice(false), editor.focus());
    part("keep-mine").onclick = () => (dialog.close(), onChoice(true), editor.focus());
    dialog.oncancel = (event) => event.preventDefault(); // one of the two has to be chosen
    if (!dialog.open) dialog.showModal();
  }

  function ask(kind) {
    if (!work) return;
    const dialog = part("reason");
    part("reason-title").textContent = t(`editor.${kind}_title`);
    part("reason-help").textContent = t(`editor.${kind}_help`);
    part("reason-go").textContent = t(`editor.${kind}`);
    part("reason-text").value = "";
    part("reasons").replaceChildren(...["words", "unclear", "language", "other"].map((name) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: t(`editor.reason_${name}`) });
      button.addEventListener("click", () => {
        part("reason-text").value = name === "other" ? "" : button.textContent;
        part("reason-text").focus();
      });
      return button;
    }));
    dialog.onclose = () => {
      editor.focus();
      if (dialog.returnValue === "go") once(() => leave(kind, part("reason-text").value.trim()));
      dialog.returnValue = "";
    };
    dialog.showModal();
    part("reason-text").focus();
  }

  async function leave(kind, reason) {
    const answer = await post(`/api/transcripts/${work.transcript_id}/${kind}`, { reason });
    if (!answer.ok) return failed(answer, () => once(() => leave(kind, reason)));
    notice(t(`editor.${kind}_done`));
    if (kind === "flag") return undefined;
    drafts.end();
    return next();
  }

  part("guideline").hidden = !project?.guideline;
  part("guideline-text").textContent = project?.guideline ?? "";
  part("submit").addEventListener("click", submit);
  part("skip").addEventListener("click", () => ask("skip"));
  part("flag").addEventListener("click", () => ask("flag"));
  part("undo").addEventListener("click", () => (editor.act.undo(), editor.focus()));
  part("redo").addEventListener("click", () => (editor.act.redo(), editor.focus()));
  part("refresh").addEventListener("click", next);
  part("help-open").addEventListener("click", () => part("help").showModal());
  part("help").addEventListener("close", () => editor.focus());
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing || event.keyCode === 229) return;
    if (event.key === "F1") {
      event.preventDefault();
      const help = part("help");
      if (help.open) help.close();
      else if (!root.querySelector("dialog[open]")) help.showModal();
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !root.querySelector("dialog[open]")) {
      event.preventDefault();
      submit();
    }
  });
  new ResizeObserver(() => work && editor.placeSink()).observe(part("text"));

  const asked = new URL(location.href).searchParams;
  const slot = asked.has("slot") ? Number(asked.get("slot")) : null;
  if (asked.has("transcript")) openOne(asked.get("transcript"), slot);
  else if (project) next();
  else show("empty");
}

/** Seconds that the page was in view since now. */
function stopwatch() {
  let total = 0;
  let since = document.hidden ? null : performance.now();
  const watch = () => {
    if (document.hidden && since !== null) {
      total += performance.now() - since;
      since = null;
    } else if (!document.hidden && since === null) since = performance.now();
  };
  document.addEventListener("visibilitychange", watch);
  return () => {
    document.removeEventListener("visibilitychange", watch);
    return Math.round((total + (since === null ? 0 : performance.now() - since)) / 100) / 10;
  };
}
