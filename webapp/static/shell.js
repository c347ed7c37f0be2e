// The header: project, language and theme. Everything else on a page is Gradio's.
(() => {
  "use strict";
  const keep = (name, value) => {
    document.cookie = `${name}=${encodeURIComponent(value)}; path=/; max-age=31536000; samesite=lax`;
  };
  const on = (id, event, f) => document.getElementById(id)?.addEventListener(event, f);
  on("ip-project", "change", (event) => {
    keep("interpunct_project", event.target.value);
    const here = new URL(location.href);
    here.search = `?project=${event.target.value}`;
    location.href = here;
  });
  on("ip-language", "change", (event) => {
    keep("interpunct_language", event.target.value);
    location.reload();
  });
  // Gradio gives all pages one title; each has its own.
  const data = document.getElementById("ip-data");
  const title = data && JSON.parse(data.textContent).title;
  if (title) {
    const keepTitle = () => document.title !== title && (document.title = title);
    new MutationObserver(keepTitle).observe(document.head, { subtree: true, childList: true, characterData: true });
    keepTitle();
  }
  on("ip-theme", "click", () => window.interpunctTheme.toggle());
})();
// Gradio's tables take the mouse for choosing cells; a link in a cell is for following.
for (const kind of ["pointerdown", "mousedown", "click"]) {
  document.addEventListener(
    kind,
    (event) => event.target.closest?.(".ip-table a[href]") && event.stopPropagation(),
    true,
  );
}
