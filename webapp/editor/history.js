// The History page's two pieces: a comparison, and the editor in which leads decide.

import { compare } from "./compare.js";
import { Editor } from "./editor.js";
import { fillStrings, post, t, table } from "./page.js";

export function showComparison(root, value) {
  if (!value) return root.replaceChildren();
  compare(root, value.work, value.left, value.right, table, t);
  if (value.slot === null || value.slot === undefined) return undefined;
  const slot = root.querySelector(`mark[data-at="${value.slot}"]`);
  for (const twin of root.querySelectorAll(`mark[data-at="${value.slot}"]`)) twin.classList.add("ip-found");
  slot?.scrollIntoView({ block: "center" });
  return undefined;
}

export function makeDecider(root, onDone) {
  const part = (name) => root.querySelector(`[data-is="${name}"]`);
  fillStrings(root);
  let work = null;
  const editor = new Editor(root, { table, t, onChange: () => {}, onSubmit: () => save(), onClose: () => {} });

  async function save() {
    if (!work || part("save").disabled) return;
    part("save").disabled = true;
    const body = { labels: editor.labels, note: part("note").value.trim(), based_on: work.based_on };
    const answer = await post(`/api/transcripts/${work.transcript_id}/decide`, body);
    part("save").disabled = false;
    if (answer.ok) {
      close();
      onDone();
      return;
    }
    if (answer.status === 409) work.based_on = answer.data.theirs_number;
    part("error").textContent = answer.data?.message ?? t("editor.no_server");
  }

  function close() {
    work = null;
    root.hidden = true;
  }

  part("save").addEventListener("click", save);
  part("undo").addEventListener("click", () => (editor.act.undo(), editor.focus()));
  part("redo").addEventListener("click", () => (editor.act.redo(), editor.focus()));
  part("cancel").addEventListener("click", close);
  return {
    open(value) {
      part("error").textContent = "";
      if (!value) return close();
      work = value;
      root.hidden = false;
      part("note").value = "";
      // Where people differ is what Tab visits here.
      const doubtful = value.units.map((_, i) => value.disputed.includes(i));
      editor.open({ ...value, doubtful });
      root.scrollIntoView({ block: "nearest" });
      editor.focus();
      return undefined;
    },
  };
}
