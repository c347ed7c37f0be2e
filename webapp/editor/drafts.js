// Drafts: to the server as one types, and into this browser as a second net.
//
// Each save names the number of the draft that it was based on. The server refuses a stale one;
// then both are shown and the person chooses. The browser's copy goes away only when the server
// has said that it holds the same.

const WAIT_MS = 300;
const RETRY_MS = [1000, 2000, 4000, 8000];
const KEEPALIVE_LIMIT = 60000; // browsers refuse longer bodies with `keepalive`

const packed = (labels) => labels.join("");
const unpacked = (text) => [...text].map(Number);

export class Drafts {
  /** @param options user, post(path, body, options), onState(name, detail), onConflict(theirs, number, mine) */
  constructor(options) {
    Object.assign(this, options);
    this.stop();
    addEventListener("online", () => this.dirty && this.save());
    addEventListener("pagehide", () => this.dirty && this.save());
    document.addEventListener("visibilitychange", () => {
      if (this.dirty) this.save(); // leaving saves at once, coming back tries again
    });
  }

  /** Start with a transcript as the server gave it. Returns labels to put in its place, or null. */
  begin(work) {
    this.stop();
    this.id = work.transcript_id;
    this.number = work.draft_number;
    this.labels = work.labels;
    const kept = this.read();
    const stored = packed(work.labels);
    if (!kept || kept.labels.length !== stored.length || kept.labels === stored) {
      this.forget();
      this.onState("ready");
      return null;
    }
    const mine = unpacked(kept.labels);
    if (kept.number === this.number || kept.sent === stored) return mine;
    this.onState("conflict");
    this.paused = true;
    this.onConflict(work.labels, this.number, mine);
    return null;
  }

  /** Something changed: keep it here now, and on the server in a moment. */
  changed(labels) {
    this.labels = [...labels];
    this.dirty = true;
    this.keep();
    if (this.paused) return;
    this.onState("typing");
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), WAIT_MS);
  }

  /** The person chose after a conflict: go on from the stored draft of this number. */
  settle(number, labels, isStored) {
    this.paused = false;
    this.number = number;
    this.labels = [...labels];
    this.dirty = !isStored;
    if (isStored) {
      this.forget();
      this.onState("saved");
      return Promise.resolve();
    }
    this.keep();
    return this.save();
  }

  /** Save what is not saved yet; resolves when the server has answered (or could not). */
  async save() {
    clearTimeout(this.timer);
    if (!this.dirty || this.paused) return this.flying;
    if (this.flying) {
      await this.flying;
      return this.dirty && !this.retrying ? this.save() : undefined;
    }
    this.flying = this.send();
    try {
      await this.flying;
    } finally {
      this.flying = null;
    }
    return undefined;
  }

  async send() {
    const { id, number } = this;
    const labels = [...this.labels];
    this.sent = packed(labels);
    this.keep();
    this.onState("saving");
    const body = { labels, draft_number: number };
    const keepalive = 3 * labels.length < KEEPALIVE_LIMIT;
    const answer = await this.post(`/api/transcripts/${id}/draft`, body, { keepalive });
    if (id !== this.id) return;
    this.retrying = false;
    if (answer.ok) {
      this.tries = 0;
      this.number = answer.data.draft_number;
      this.dirty = packed(this.labels) !== packed(labels);
      if (this.dirty) {
        this.keep();
        this.timer = setTimeout(() => this.save(), WAIT_MS);
      } else {
        this.forget();
        this.onState("saved");
      }
    } else if (answer.status === 409) {
      this.paused = true;
      this.onState("conflict");
      this.onConflict(answer.data.theirs, answer.data.theirs_number, this.labels);
    } else if (answer.status === 401 || answer.status === 0 || answer.status >= 500) {
      this.onState(answer.status === 401 ? "signed_out" : "offline");
      this.retrying = true;
      this.timer = setTimeout(() => this.save(), RETRY_MS[Math.min(this.tries++, RETRY_MS.length - 1)]);
    } else {
      this.onState("refused", answer.data?.message);
    }
  }

  /** Done with this transcript (submitted or skipped): nothing of it stays in this browser. */
  end() {
    this.forget();
    this.stop();
  }

  stop() {
    clearTimeout(this.timer);
    Object.assign(this, { id: null, dirty: false, paused: false, flying: null, tries: 0, sent: "", retrying: false });
  }

  get key() {
    return `interpunct:draft:${this.user}:${this.id}`;
  }

  keep() {
    try {
      localStorage.setItem(this.key, JSON.stringify({ number: this.number, sent: this.sent, labels: packed(this.labels) }));
    } catch {
      // Full or forbidden: the server's copy is the first net, this only the second.
    }
  }

  read() {
    try {
      return JSON.parse(localStorage.getItem(this.key));
    } catch {
      return null;
    }
  }

  forget() {
    if (this.id !== null) localStorage.removeItem(this.key);
  }
}
