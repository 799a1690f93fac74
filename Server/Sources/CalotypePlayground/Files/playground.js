const base = new URL("playground/", location.href);
const at = (id) => document.getElementById(id);
const state = { token: "", table: null, values: new Map(), lifetime: 0, order: 0, run: null };
const objectURLs = new Map();

// The fields in front; all others are in the list of all options.
const common = {
  resizing_type: "Resizing", width: "Width", height: "Height", gravity: "Gravity", quality: "Quality",
  format: "Format", enlarge: "Enlarge", dpr: "Pixel ratio", blur: "Blur", sharpen: "Sharpen",
};

// Examples of arguments that are not one value.
const examples = {
  gravity: "sm or fp:0.5:0.5", crop: "400:300:sm", padding: "10:20", trim: "10", background: "ffffff", rotate: "90",
  flip: "1:0", watermark: "0.5:soea:10:10", zoom: "1.5", extend: "1:ce", resize: "fill:300:200", size: "300:200",
  adjust: "10:1.1:1", duotone: "1:102040:ffe0c0", monochrome: "1:b3b3b3", gradient: "0.8:000000:up",
  crop_aspect_ratio: "1.5", format_quality: "webp:70:avif:50", filename: "name", cachebuster: "text",
};

class Refusal extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

function headers() {
  return state.token ? { Authorization: `Bearer ${state.token}` } : {};
}

async function ask(path, init = {}) {
  const response = await fetch(new URL(path, base), { ...init, headers: { ...headers(), ...init.headers } });
  if (!response.ok) throw new Refusal(response.status, await sentence(response));
  return response.json();
}

async function sentence(response) {
  let text = (await response.text()).slice(0, 1000).trim();
  try {
    text = JSON.parse(text).error ?? text;
  } catch { /* It is a sentence. */ }
  const code = response.headers.get("X-Error-Code");
  return `${response.status}: ${text || response.statusText}${code ? ` (${code})` : ""}`;
}

// Signs paths in one request.
async function sign(paths, isInfo = false, signal = undefined) {
  const query = new URLSearchParams(paths.map((path) => ["path", path]));
  if (isInfo) query.append("info", "1");
  const text = query.toString().replaceAll("+", "%20");
  const reply = await ask(`sign?${text}`, { method: "POST", signal });
  state.lifetime = reply.lifetime;
  return reply.urls.map((url) => new URL(url, location.href).href);
}

// Options.

function shortName(option) {
  return option.names[1] ?? option.names[0];
}

function segments(without = []) {
  const separator = state.table.separator;
  const result = [];
  for (const option of state.table.options) {
    const name = option.names[0];
    const value = state.values.get(name);
    if (value === undefined || name === "format" || without.includes(name)) continue;
    result.push(`${shortName(option)}${separator}${value.trim().replaceAll(":", separator)}`);
  }
  return result;
}

function path(parts, format = state.values.get("format")) {
  const source = encodeURIComponent(at("source").value.trim());
  return `/${[...parts, "plain", source + (format ? `@${format}` : "")].join("/")}`;
}

function element(name, properties = {}, ...children) {
  const result = Object.assign(document.createElement(name), properties);
  result.append(...children);
  return result;
}

function control(option, id) {
  const kind = option.kind;
  if (kind === "flag" || kind === "choice") {
    const choices = kind === "flag" ? [["1", "on"], ["0", "off"]] : option.choices.map((name) => [name, name]);
    return element("select", { id }, new Option("–", ""), ...choices.map(([value, text]) => new Option(text, value)));
  }
  const input = element("input", { id, type: "text", spellcheck: false });
  if (kind === "integer" || kind === "real") {
    input.type = "number";
    input.step = kind === "integer" ? "1" : "any";
    if (option.min !== undefined) input.min = option.min;
    if (option.max !== undefined) input.max = option.max;
  } else {
    input.autocapitalize = "off";
    input.placeholder = kind === "base64" ? "text in base64" : examples[option.names[0]] ?? "";
  }
  return input;
}

function field(option, title) {
  const name = option.names[0];
  const id = `option-${name}`;
  const label = element("label", { htmlFor: id }, title ?? name.replaceAll("_", " "));
  if (!title) label.append(" ", element("code", {}, shortName(option)));
  const input = control(option, id);
  input.dataset.option = name;
  input.value = state.values.get(name) ?? "";
  const box = element("div", {}, label, input);
  box.dataset.names = option.names.join(" ");
  return box;
}

function build() {
  const options = new Map(state.table.options.map((option) => [option.names[0], option]));
  const writable = state.table.formats;
  const format = options.get("format");
  if (format) Object.assign(format, { kind: "choice", choices: writable });
  const front = Object.entries(common).filter(([name]) => options.has(name));
  at("common").replaceChildren(...front.map(([name, title]) => field(options.get(name), title)));
  if (state.table.presets.length && options.size) {
    const preset = { names: ["preset", "pr"], kind: "choice", choices: state.table.presets };
    state.table.options.unshift(preset);
    at("common").prepend(field(preset, "Preset"));
  }
  const rest = state.table.options.filter(({ names }) => !(names[0] in common) && names[0] !== "preset");
  at("all").replaceChildren(...rest.map((option) => field(option)));
  at("count").textContent = `(${options.size})`;
}

function remember() {
  state.values.clear();
  for (const input of document.querySelectorAll("[data-option]")) {
    if (input.value.trim() !== "" && input.checkValidity()) state.values.set(input.dataset.option, input.value);
  }
  const query = new URLSearchParams([["source", at("source").value.trim()], ...state.values]);
  history.replaceState(null, "", `#${query}`);
}

function recall() {
  const query = new URLSearchParams(location.hash.slice(1));
  at("source").value = query.get("source") ?? "";
  for (const input of document.querySelectorAll("[data-option]")) input.value = query.get(input.dataset.option) ?? "";
}

function set(name, value) {
  const input = at(`option-${name}`);
  if (input) input.value = value;
}

// The focus point.

function focusPoint() {
  const parts = (state.values.get("gravity") ?? "").split(":");
  return parts[0] === "fp" && parts.length === 3 ? [Number(parts[1]), Number(parts[2])] : null;
}

function showFocus() {
  const point = focusPoint();
  at("mark").hidden = at("focus-clear").hidden = !point;
  if (!point) return;
  at("mark").style.left = `${100 * point[0]}%`;
  at("mark").style.top = `${100 * point[1]}%`;
}

function setFocus(x, y) {
  const share = (value) => Math.min(1, Math.max(0, Math.round(value * 1000) / 1000));
  set("gravity", `fp:${share(x)}:${share(y)}`);
  changed();
  say(`Focus point at ${Math.round(100 * share(x))} percent from the left, ${Math.round(100 * share(y))} from the top`);
}

// Pictures.

function show(image, blob) {
  URL.revokeObjectURL(objectURLs.get(image));
  const url = URL.createObjectURL(blob);
  objectURLs.set(image, url);
  image.src = url;
  return image.decode().catch(() => {});
}

async function load(url, signal) {
  const start = performance.now();
  const response = await fetch(url, { headers: headers(), signal });
  const blob = await response.blob();
  const time = performance.now() - start;
  if (!response.ok) {
    throw new Refusal(response.status, await sentence(new Response(blob, response)));
  }
  return { response, blob, time };
}

const bytes = (count) => count < 1000 ? `${count} B` : count < 1e6 ? `${(count / 1e3).toFixed(1)} kB` : `${(count / 1e6).toFixed(2)} MB`;
const milliseconds = (time) => time < 10 ? `${time.toFixed(1)} ms` : `${Math.round(time)} ms`;

async function render(signal) {
  const [url] = await sign([path(segments())], false, signal);
  const { response, blob, time } = await load(url, signal);
  const picture = at("picture");
  await show(picture, blob);
  if (signal.aborted) return;
  at("stage").classList.remove("stale");
  picture.hidden = at("facts").hidden = at("snippets").hidden = false;
  at("empty").hidden = at("failure").hidden = true;
  at("fact-size").textContent = picture.naturalWidth ? `${picture.naturalWidth} × ${picture.naturalHeight}` : "–";
  at("fact-bytes").textContent = bytes(blob.size);
  at("fact-format").textContent = (response.headers.get("Content-Type") ?? "").replace("image/", "");
  at("fact-time").textContent = milliseconds(time);
  showTiming(response.headers.get("Server-Timing"));
  at("fields").replaceChildren(...[...response.headers].map(([name, value]) =>
    element("tr", {}, element("th", { scope: "row" }, name), element("td", {}, value))));
  at("text-url").textContent = url;
  const secret = state.token ? " -H \"Authorization: Bearer $SECRET\"" : "";
  const ending = (response.headers.get("Content-Type") ?? "").replace(/^image\//, "").replace(/[^a-z0-9].*$/, "") || "bin";
  at("text-curl").textContent = `curl -o picture.${ending}${secret} '${url.replaceAll("'", "%27")}'`;
  at("ends").textContent = `These URLs end after ${Math.round(state.lifetime / 60)} minutes. Pages need URLs that your own program signs.`;
  await Promise.all([showSrcset(signal), at("formats").open ? compare(signal) : null, at("info").open ? describe(signal) : null]);
}

function showTiming(value) {
  const stages = (value ?? "").split(",").map((part) => /^\s*([\w-]+).*;\s*dur=([\d.]+)/.exec(part)).filter(Boolean);
  const total = stages.reduce((sum, [, , time]) => sum + Number(time), 0) || 1;
  at("timing").hidden = stages.length === 0;
  at("timing").replaceChildren(...stages.map(([, name, time]) => {
    const bar = element("i");
    bar.style.width = `${Math.max(3, 90 * Number(time) / total)}px`;
    return element("li", {}, bar, `${name} ${milliseconds(Number(time))}`);
  }));
}

async function showSrcset(signal) {
  const widths = [320, 480, 640, 960, 1280, 1920];
  const [width, height] = ["width", "height"].map((name) => Number(state.values.get(name) ?? 0));
  const short = (name) => shortName(state.table.options.find(({ names }) => names[0] === name) ?? { names: [name] });
  const paths = widths.map((side) => {
    const parts = [...segments(["width", "height"]), `${short("width")}${state.table.separator}${side}`];
    if (width && height) parts.push(`${short("height")}${state.table.separator}${Math.max(1, Math.round(height * side / width))}`);
    return path(parts);
  });
  const urls = await sign(paths, false, signal);
  const middle = urls[2];
  const list = urls.map((url, index) => `  ${url} ${widths[index]}w`).join(",\n");
  at("text-srcset").textContent = `<img src="${middle}"\n  srcset="\n${list}"\n  sizes="100vw" alt="">`;
}

async function compare(signal) {
  const names = ["webp", "avif", "jpeg", "png"];
  const cards = names.map((name) => {
    const image = element("img", { alt: "" });
    const text = element("span", {}, "…");
    return { name, image, text, item: element("li", {}, image, element("b", {}, name.toUpperCase()), text) };
  });
  for (const image of at("cards").querySelectorAll("img")) {
    URL.revokeObjectURL(objectURLs.get(image));
    objectURLs.delete(image);
  }
  at("cards").replaceChildren(...cards.map(({ item }) => item));
  // One after the other, so that they do not wait for each other.
  for (const card of cards) {
    if (!state.table.formats.includes(card.name)) {
      card.text.textContent = "not written by this server";
      card.image.hidden = true;
      continue;
    }
    try {
      const [url] = await sign([path(segments(), card.name)], false, signal);
      const { response, blob, time } = await load(url, signal);
      await show(card.image, blob);
      card.image.alt = `As ${card.name}`;
      const type = (response.headers.get("Content-Type") ?? "").replace("image/", "");
      card.text.textContent = `${bytes(blob.size)} · ${milliseconds(time)}${type === card.name ? "" : ` · sent as ${type}`}`;
    } catch (error) {
      if (signal.aborted) return;
      card.image.hidden = true;
      card.text.textContent = error.message;
    }
  }
}

async function describe(signal) {
  try {
    const separator = state.table.separator;
    const options = ["cs", "b", "sf", "pn", "a", "avg", "dc"].map((name) => `${name}${separator}1`);
    const source = encodeURIComponent(at("source").value.trim());
    const [url] = await sign([`/${[...options, "plain", source].join("/")}`], true, signal);
    const { blob } = await load(url, signal);
    at("text-info").textContent = JSON.stringify(JSON.parse(await blob.text()), null, 2);
  } catch (error) {
    if (!signal.aborted) at("text-info").textContent = error.message;
  }
}

let shownSource = "";
async function showSource(signal) {
  const source = at("source").value.trim();
  if (source === shownSource) return;
  at("focus").hidden = true;
  const separator = state.table.separator;
  const plain = encodeURIComponent(source);
  const [url] = await sign([`/rs${separator}fit${separator}720${separator}440/plain/${plain}`], false, signal);
  const { blob } = await load(url, signal);
  await show(at("preview-image"), blob);
  shownSource = source;
  at("focus").hidden = !state.table.options.some(({ names }) => names[0] === "gravity");
}

// What happens.

function say(text) {
  at("said").textContent = text;
}

function fail(error) {
  if (error.status === 401) {
    at("access").hidden = false;
    at("token").focus();
    at("server").textContent = state.token ? "The secret is another one." : "This server asks for its secret.";
    return;
  }
  at("failure").hidden = false;
  at("failure").textContent = error.message;
  // What is left is of another request.
  at("facts").hidden = at("timing").hidden = at("snippets").hidden = true;
  at("stage").classList.add("stale");
}

let timer;
function changed(delay = 250) {
  remember();
  showFocus();
  clearTimeout(timer);
  timer = setTimeout(update, delay);
}

async function update() {
  if (!state.table) return;
  state.run?.abort();
  const run = state.run = new AbortController();
  if (!at("source").value.trim()) {
    at("picture").hidden = at("facts").hidden = at("timing").hidden = at("snippets").hidden = at("failure").hidden = at("focus").hidden = true;
    at("empty").hidden = false;
    shownSource = "";
    return;
  }
  at("stage").ariaBusy = "true";
  try {
    await render(run.signal);
    await showSource(run.signal);
  } catch (error) {
    if (!run.signal.aborted) fail(error);
  } finally {
    if (state.run === run) at("stage").ariaBusy = "false";
  }
}

async function start() {
  try {
    state.table = await ask("options.json");
  } catch (error) {
    return fail(error);
  }
  at("access").hidden = true;
  for (const fields of document.querySelectorAll("fieldset.open")) fields.hidden = false;
  at("server").textContent = state.table.isSigned ? "URLs are signed." : "URLs need no signature.";
  build();
  recall();
  changed(0);
}

at("form").addEventListener("submit", (event) => {
  event.preventDefault();
  if (at("access").hidden) return changed(0);
  state.token = at("token").value;
  start();
});
at("form").addEventListener("input", (event) => {
  if (event.target === at("token")) return;
  if (event.target === at("filter")) return filter();
  changed();
});
at("form").addEventListener("reset", (event) => {
  event.preventDefault();
  for (const input of document.querySelectorAll("[data-option]")) input.value = "";
  changed(0);
  say("All options are reset");
});

function filter() {
  const text = at("filter").value.trim().toLowerCase().replaceAll(" ", "_");
  let count = 0;
  for (const box of at("all").children) {
    box.hidden = !box.dataset.names.includes(text);
    count += box.hidden ? 0 : 1;
  }
  at("none").hidden = count > 0;
}

at("preview").addEventListener("click", (event) => {
  // A click by the keyboard has no position.
  if (event.detail === 0) return setFocus(...(focusPoint() ?? [0.5, 0.5]));
  const box = at("preview-image").getBoundingClientRect();
  setFocus((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height);
});
at("preview").addEventListener("keydown", (event) => {
  const step = { ArrowLeft: [-0.02, 0], ArrowRight: [0.02, 0], ArrowUp: [0, -0.02], ArrowDown: [0, 0.02] }[event.key];
  if (!step) return;
  event.preventDefault();
  const [x, y] = focusPoint() ?? [0.5, 0.5];
  setFocus(x + step[0], y + step[1]);
});
at("focus-clear").addEventListener("click", () => {
  set("gravity", "");
  changed(0);
  at("preview").focus();
});
for (const [id, work] of [["formats", compare], ["info", describe]]) {
  at(id).addEventListener("toggle", () => {
    if (at(id).open && state.run && !state.run.signal.aborted) work(state.run.signal);
  });
}
for (const button of document.querySelectorAll(".copy")) {
  button.addEventListener("click", async () => {
    const target = at(button.dataset.copies);
    try {
      await navigator.clipboard.writeText(target.textContent);
    } catch {
      // Without permission, or outside of a secure context.
      getSelection().selectAllChildren(target);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    say("Copied");
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}
start();
