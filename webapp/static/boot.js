// Runs before anything is drawn, so that the chosen language and theme never flash.
(() => {
  "use strict";
  const lang = document.documentElement.lang;
  // Gradio takes the language from the browser; here people may have picked another one.
  if (lang) {
    Object.defineProperty(navigator, "language", { configurable: true, get: () => lang });
    Object.defineProperty(navigator, "languages", { configurable: true, get: () => [lang] });
  }
  // Gradio takes light or dark from the system; the same goes for the theme.
  const system = window.matchMedia.bind(window);
  const QUERY = "(prefers-color-scheme: dark)";
  const listeners = new Set();
  const chosen = () => localStorage.getItem("interpunct:theme");
  const dark = () => (chosen() ? chosen() === "dark" : system(QUERY).matches);
  const theme = {
    media: QUERY,
    get matches() { return dark(); },
    addEventListener: (_, f) => listeners.add(f),
    removeEventListener: (_, f) => listeners.delete(f),
    addListener: (f) => listeners.add(f),
    removeListener: (f) => listeners.delete(f),
  };
  window.matchMedia = (query) => (query.replace(/\s+/g, " ").trim() === QUERY ? theme : system(query));
  const apply = () => {
    document.documentElement.classList.toggle("ip-dark", dark());
    document.body?.classList.toggle("dark", dark());
    for (const f of listeners) f({ matches: dark(), media: QUERY });
  };
  system(QUERY).addEventListener("change", apply);
  document.addEventListener("DOMContentLoaded", apply);
  apply();
  window.interpunctTheme = {
    toggle() {
      localStorage.setItem("interpunct:theme", dark() ? "light" : "dark");
      apply();
    },
  };
})();
