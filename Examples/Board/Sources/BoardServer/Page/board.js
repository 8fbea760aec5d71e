import {follow} from "/events.js";

const [state, search, editor, message, news, empty, remarks, offers] =
  ["state", "search", "editor", "message", "news", "empty", "remarks", "offers"]
    .map(id => document.getElementById(id));
const sections = [...document.querySelectorAll("section")];
const lanes = sections.map(section => section.dataset.lane);
const fields = editor.querySelector("form").elements;
const texts = ["title", "notes", "person"];
const items = new Map();  // the elements of the cards, by key
let board = [], found = null, drag = null, searches = 0;

// Sends a request, and returns the reply, or null after an error, which the page shows. After the status of a conflict,
// returns the result of onConflict.
async function send(method, path, body, onConflict) {
  try {
    const response = await fetch(path, {
      method,
      headers: {"content-type": "application/json"},
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(15_000)
    });
    const text = await response.text();
    if (response.ok) return text ? JSON.parse(text) : {};
    if (response.status === 409 && onConflict) return await onConflict();
    let reason;
    try { reason = JSON.parse(text).error.message } catch {}
    say(reason ?? `The server answered ${response.status}.`);
  } catch (error) {
    say(error.name === "TimeoutError"
      ? "The server has not answered for 15 seconds. It may still make the change."
      : "The server cannot be reached.");
  }
  return null;
}

// An open dialog makes the rest of the page inert, so the message belongs in the dialog.
function say(text) {
  const place = editor.open ? editor.querySelector(".message") : message;
  place.textContent = text;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { message.textContent = "" }, 10_000);
}

// Tells screen readers what has changed.
function announce(text) { news.textContent = text }

function change(card, fields, onConflict) {
  return send("PATCH", `/api/cards/${card.id}`, {version: card.version, ...fields}, onConflict);
}

// MARK: Moves

// Moves a card, unless the page does not yet show its last move.
async function move(item, place) {
  if (!place || item.version > item.card.version) return;
  item.version = Infinity;
  item.version = (await change(item.card, place))?.version ?? 0;
  item.isMoving = item.version > 0;
  draw();
}

// Returns the place where a button moves a card, if there is one.
function place(item, action) {
  const lane = item.card.lane, next = item.nextElementSibling;
  const to = lanes[lanes.indexOf(lane) + (action === "left" ? -1 : 1)];
  switch (action) {
  case "up": return item.previousElementSibling && {lane, before: item.previousElementSibling.card.id};
  case "down": return next && {lane, before: next.nextElementSibling?.card.id};
  case "left": case "right": return to && {lane: to};
  }
}

// Returns the section at a point, and the card that a card dropped there would stand before.
function target(x, y) {
  const section = sections.find(section => {
    const box = section.getBoundingClientRect();
    return box.left <= x && x < box.right && box.top <= y && y < box.bottom;
  });
  const next = section && [...section.querySelectorAll("li")].find(item => {
    const box = item.getBoundingClientRect();
    return item !== drag.item && y < box.top + box.height / 2;
  });
  return {section, next};
}

function mark({section, next}) {
  for (const element of document.querySelectorAll(".target")) element.classList.remove("target");
  (next ?? section?.querySelector("ol"))?.classList.add("target");
}

function endDrag() {
  if (!drag) return;
  mark({});
  drag.item.classList.remove("dragged");
  drag.item.style.transform = "";
  drag = null;
}

// A mouse drags the whole card. A finger drags its handle, and scrolls the page elsewhere.
addEventListener("pointerdown", event => {
  const item = event.target.closest("li[aria-labelledby]"), isTouch = event.pointerType === "touch";
  if (!item || event.button || event.target.closest("button") || isTouch && !event.target.closest(".handle")) return;
  drag = {item, id: event.pointerId, x: event.clientX, y: event.clientY};
});
addEventListener("pointermove", event => {
  if (!drag || drag.id !== event.pointerId) return;
  const [x, y] = [event.clientX - drag.x, event.clientY - drag.y];
  if (!drag.isMoving && Math.hypot(x, y) < 5) return;
  drag.isMoving = true;
  drag.item.classList.add("dragged");
  drag.item.style.transform = `translate(${x}px, ${y}px)`;
  mark(target(event.clientX, event.clientY));
  const edge = event.clientY < 50 ? -15 : event.clientY > innerHeight - 50 ? 15 : 0;
  if (edge) scrollBy(0, edge);
});
addEventListener("pointerup", event => {
  if (!drag || drag.id !== event.pointerId) return;
  const {item, isMoving} = drag, {section, next} = target(event.clientX, event.clientY);
  endDrag();
  if (!isMoving || !section) return;
  const lane = section.dataset.lane, isThere = lane === item.card.lane && (item.nextElementSibling ?? undefined) === next;
  if (!isThere) move(item, {lane, before: next?.card.id});
});
addEventListener("pointercancel", endDrag);
addEventListener("selectstart", event => { if (drag) event.preventDefault() });
addEventListener("keydown", event => { if (event.key === "Escape") endDrag() });

// MARK: The board

// Returns the element of a card. The element stays the same, so that it keeps the focus.
function element(card) {
  let item = items.get(card.id);
  if (!item) {
    item = document.getElementById("card").content.firstElementChild.cloneNode(true);
    item.querySelector("strong").id = `card-${card.id}`;
    item.setAttribute("aria-labelledby", `card-${card.id}`);
    items.set(card.id, item);
  }
  item.card = card;
  const count = card.remarks === 1 ? "1 remark" : `${card.remarks} remarks`;
  const shown = [card.title, card.notes, [card.person, card.remarks && count].filter(Boolean).join(", ")];
  item.querySelectorAll("strong, p, footer span").forEach((part, i) => { part.textContent = shown[i] });
  for (const button of item.querySelectorAll("button"))
    button.ariaLabel = button.dataset.label.replace("card", `“${card.title}”`);
  return item;
}

function draw() {
  const focus = document.activeElement, item = focus.closest("li"), list = item?.parentElement;
  const neighbor = item?.nextElementSibling ?? item?.previousElementSibling;
  for (const section of sections) {
    const list = section.querySelector("ol");
    const cards = board.filter(c => c.lane === section.dataset.lane && (!found || found.has(c.id)));
    cards.map(element).forEach((item, i) => {
      if (list.children[i] !== item) list.insertBefore(item, list.children[i] ?? null);
      if (!item.isMoving || item.version > item.card.version) return;
      item.isMoving = false;
      announce(`“${item.card.title}” is in ${section.ariaLabel}, ${i + 1} of ${cards.length}.`);
    });
    while (list.children.length > cards.length) list.lastChild.remove();
    section.querySelector("h2 span").textContent = cards.length;
  }
  for (const [id, item] of items) {
    if (!item.isConnected) items.delete(id);
    for (const button of item.querySelectorAll("button:not([data-action=edit])"))
      button.ariaDisabled = String(!place(item, button.dataset.action));
  }
  empty.hidden = !found || found.size > 0;
  // An element that has moved lost the focus. If the card is gone, its neighbor gets the focus.
  if (item && list?.isConnected && document.activeElement !== focus) {
    const next = [focus, neighbor?.querySelector("button"), list.nextElementSibling.querySelector("input")];
    next.find(element => element?.isConnected).focus();
  }
}

for (const section of sections) {
  const lane = section.dataset.lane;
  section.append(document.getElementById("lane").content.cloneNode(true));
  const form = section.querySelector("form"), field = form.querySelector("input");
  field.ariaLabel = `New card in ${section.ariaLabel}`;
  form.onsubmit = async event => {
    event.preventDefault();
    if (field.readOnly) return;
    field.readOnly = true;  // until the reply, so that a second Enter adds no second card
    if (await send("POST", "/api/cards", {title: field.value, lane})) {
      announce(`“${field.value}” was added to ${section.ariaLabel}.`);
      field.value = "";
      // The new card may not match the search.
      if (found) {
        search.value = "";
        search.oninput();
      }
    }
    field.readOnly = false;
  };
  section.onclick = event => {
    const button = event.target.closest("[data-action]"), item = button?.closest("li");
    if (button?.dataset.action === "edit") edit(item.card);
    else if (button) move(item, place(item, button.dataset.action));
  };
}

search.oninput = async event => {
  const own = ++searches, words = search.value.trim();
  const cards = words ? await send("GET", `/api/cards?search=${encodeURIComponent(words)}`) : null;
  // Without a reply, the page keeps the last result.
  if (own !== searches || words && !cards) return;
  found = cards && new Set(cards.map(card => card.id));
  draw();
  if (event && found) announce(found.size === 1 ? "1 card matches." : `${found.size || "No"} cards match.`);
};

// MARK: The dialog

function edit(card) {
  editor.querySelector(".message").textContent = "";
  remarks.replaceChildren();
  fill(card);
  fields.remark.value = "";
  editor.showModal();
  if (card.remarks) showRemarks(card.id);
}

async function showRemarks(id) {
  const list = await send("GET", `/api/cards/${id}/remarks`);
  if (!list || editor.card.id !== id) return;
  remarks.replaceChildren(...list.map(remark => {
    const item = document.createElement("li");
    item.dir = "auto";
    item.textContent = remark.text;
    return item;
  }));
}

// Shows a card in the dialog. Fields that the reader has changed keep their texts, and the dialog offers the others.
function fill(card, isChanged = () => false) {
  offers.replaceChildren();
  const base = {};
  for (const name of texts) {
    const field = fields[name], mine = field.value, keeps = isChanged(name);
    field.value = card[name] ?? "";
    base[name] = field.value;  // as the field has it, with its line breaks
    if (!keeps) continue;
    field.value = mine;
    if (base[name] === mine || base[name] === editor.base[name]) continue;
    const item = document.createElement("li"), button = document.createElement("button");
    item.append(`${field.dataset.name} of the other page: “${base[name]}” `, button);
    button.type = "button";
    button.textContent = `Use this ${field.dataset.name.toLowerCase()}`;
    button.onclick = () => {
      field.value = base[name];
      item.remove();
      field.focus();
    };
    offers.append(item);
  }
  [editor.card, editor.base] = [card, base];
}

function isChanged(name) { return fields[name].value !== editor.base[name] }

// Another page has changed the card. Fields that only one page has changed are merged, and saved.
async function merge() {
  const card = (await send("GET", "/api/cards"))?.find(card => card.id === editor.card.id);
  if (!card) return null;
  fill(card, isChanged);
  if (!offers.children.length) return save();
  say("Another page has changed the same text. Save replaces its text with yours.");
  return null;
}

async function save() {
  const changed = Object.fromEntries(texts.filter(isChanged).map(name => [name, fields[name].value]));
  if (Object.keys(changed).length && !await change(editor.card, changed, merge)) return null;
  for (const name of texts) editor.base[name] = fields[name].value;
  const text = fields.remark.value;
  if (text && !await send("POST", `/api/cards/${editor.card.id}/remarks`, {text})) return null;
  fields.remark.value = "";
  editor.close();
  return {};
}

// The dialog stays open after an error, so that no text is lost.
editor.querySelector("form").onsubmit = async event => {
  event.preventDefault();
  if (editor.isSaving) return;
  editor.isSaving = true;
  await save();
  editor.isSaving = false;
};

function cancel(event) {
  event.preventDefault();
  if (editor.isSaving) return;
  if ((texts.some(isChanged) || fields.remark.value) && !confirm("Discard your changes?")) return;
  editor.close();
}
fields.cancel.onclick = cancel;
editor.oncancel = cancel;
editor.onkeydown = event => { if (event.key === "Escape" && !event.isComposing) cancel(event) };
// The dialog returns the focus to the card, unless the card is deleted.
editor.onclose = () => {
  if (!document.activeElement.closest("li"))
    sections[lanes.indexOf(editor.card.lane)].querySelector("input").focus();
};
fields.remove.onclick = async () => {
  const {id, version, title} = editor.card;
  if (!confirm(`Delete “${title}”?`)) return;
  if (await send("DELETE", `/api/cards/${id}?version=${version}`)) editor.close();
};

addEventListener("paste", event => {
  const field = event.target, most = field.maxLength;
  if (!(most >= 0)) return;
  const rest = field.value.length - (field.selectionEnd - field.selectionStart);
  if (rest + event.clipboardData.getData("text").length > most) say(`The text was cut: it can have ${most} characters.`);
});

// MARK: The connection

function show(latest) {
  if (latest.state) state.textContent = latest.state;
  if (!latest.cards) return;
  board = latest.cards;
  if (found) search.oninput(); else draw();
}

if (window.SharedWorker) {
  const {port} = new SharedWorker("/worker.js", {type: "module"});
  port.onmessage = event => show(event.data);
  addEventListener("pagehide", () => port.postMessage("closed"));
  // A page that the browser has kept, and shows again, is no longer known to the worker.
  addEventListener("pageshow", event => { if (event.persisted) location.reload() });
} else {
  follow(show);
}
