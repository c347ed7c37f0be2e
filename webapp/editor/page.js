// What every module needs of the page: its strings, the ten marks, who is signed in, and JSON over HTTP.

export const data = JSON.parse(document.getElementById("ip-data").textContent);

export const { table, user, project } = data;

/** A string in the person's language, with {placeholders} filled in. */
export function t(key, params = {}) {
  const text = data.strings[key] ?? key;
  return text.replace(/\{(\w+)\}/g, (whole, name) => params[name] ?? whole);
}

/** Post JSON. Never throws: status 0 means that the server could not be reached. */
export async function post(path, body = {}, options = {}) {
  try {
    const answer = await fetch(path, {
      method: "POST",
      credentials: "same-origin",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
      ...options,
    });
    const json = await answer.json().catch(() => null);
    return { ok: answer.ok, status: answer.status, data: json };
  } catch {
    return { ok: false, status: 0, data: null };
  }
}

/** Put the strings that a template names (`data-t`, `data-t-label`) into it. */
export function fillStrings(root) {
  for (const element of root.querySelectorAll("[data-t]")) element.textContent = t(element.dataset.t);
  for (const element of root.querySelectorAll("[data-t-placeholder]")) {
    element.placeholder = t(element.dataset.tPlaceholder);
  }
  for (const element of root.querySelectorAll("[data-t-label]")) {
    element.setAttribute("aria-label", t(element.dataset.tLabel));
    element.title = t(element.dataset.tLabel);
  }
}
