// What the page knows of the plant: points, samples, alarms, proposals, health; kept fresh by /events.

import { call } from "/static/api.js";
import { useZone } from "/static/clock.js";

export class Live extends EventTarget {
  constructor(me) {
    super();
    this.me = me;
    useZone(me.timezone);
    this.devices = [];
    this.points = new Map();
    this.samples = new Map();
    this.alarms = [];
    this.proposals = new Map();
    this.lockout = me.lockout || null;
    this.connected = true;
    this.source = null;
    this.timer = null;
  }

  async load() {
    const [devices, points, alarms, proposals] = await Promise.all([
      call("GET", "/devices"), call("GET", "/points"), call("GET", "/alarms"), call("GET", "/proposals?recent=20"),
    ]);
    this.devices = devices;
    this.points = new Map(points.map((point) => [point.tag, point]));
    for (const point of points) this.#take(point.sample);
    this.alarms = alarms;
    this.proposals = new Map(proposals.map((proposal) => [proposal.id, proposal]));
  }

  listen() {
    this.source = new EventSource("/api/v1/events");
    const on = (name, take) => this.source.addEventListener(name, (event) => { take(JSON.parse(event.data)); });
    on("samples", (samples) => { for (const sample of samples) this.#take(sample); this.#tell("samples"); });
    on("alarms", (alarms) => { this.alarms = alarms; this.#tell("alarms"); });
    on("proposal", (proposal) => this.takeProposal(proposal));
    on("health", (devices) => { this.devices = devices; this.#tell("health"); });
    on("map_changes", () => this.#tell("map_changes"));
    on("plant", () => this.#takePlant());
    on("features", (features) => { this.me.features = features; this.#tell("features"); });
    on("lockout", (lockout) => { this.lockout = lockout.reason ? lockout : null; this.#tell("lockout"); });
    this.source.addEventListener("signed_out", () => this.#signedOut());
    this.source.onopen = () => { this.connected = true; this.#tell("connection"); };
    this.source.onerror = () => { this.connected = false; this.#tell("connection"); this.#askWhy(); };
    this.timer = setInterval(() => this.#tell("tick"), 1000);
  }

  close() {
    this.source?.close();
    clearInterval(this.timer);
  }

  // Age now: the age the server said, plus the time since it said so.
  age(sample) {
    return sample.age_s === null || sample.age_s === undefined ? null : sample.age_s + (performance.now() - sample.taken) / 1000;
  }

  takeProposal(proposal) {
    const known = this.proposals.get(proposal.id);
    const nonce = proposal.nonce || known?.nonce;
    this.proposals.set(proposal.id, { ...proposal, nonce, taken: performance.now() });
    this.#tell("proposals");
    if (proposal.state === "PENDING" && !nonce && this.me.role !== "viewer") this.#askNonce(proposal.id);
  }

  #signedOut() {
    this.close();
    document.dispatchEvent(new CustomEvent("signed-out"));
  }

  // A stream that was refused is not dialled again by the browser: over a session that has ended, it is time to sign in.
  #askWhy() {
    if (this.source.readyState === EventSource.CLOSED) call("GET", "/me").catch(() => null);
  }

  // Devices or maps changed while the page is open: what it knows of them is loaded anew.
  async #takePlant() {
    await this.load();
    this.#tell("health");
    this.#tell("alarms");
    this.#tell("procedures");
  }

  // What the stream tells everybody holds no nonce; who may confirm asks for the card itself.
  async #askNonce(id) {
    const proposal = await call("GET", `/proposals/${id}`).catch(() => null);
    if (proposal?.nonce) this.takeProposal(proposal);
  }

  #take(sample) {
    this.samples.set(sample.tag, { ...sample, taken: performance.now() });
  }

  #tell(what) {
    this.dispatchEvent(new CustomEvent(what));
    this.dispatchEvent(new CustomEvent("any"));
  }

  // Calls `draw` now, on each of the named changes, and when the language changes.
  on(names, draw) {
    for (const name of names) this.addEventListener(name, draw);
    document.addEventListener("language", draw);
    draw();
  }
}
