const [state, search, editor, message] =
  ["state", "search", "editor", "message"].map(id => document.getElementById(id));
const sections = [...document.querySelectorAll("section")];
const lanes = sections.map(section => section.dataset.lane);
const fields = editor.querySelector("form").elements;
const items = new Map();  // the elements of the cards, by key
let board = [], found = null, dragged = null, searches = 0;

// Sends a request, and returns the reply, or null after an error, which the page shows.
async function send(method, path, body) {
  try {
    const response = await fetch(path, {
      method,
      headers: {"content-type": "application/json"},
      body: JSON.stringify(body)
    });
    const text = await response.text();
    if (response.ok) return text ? JSON.parse(text) : {};
    let reason;
    try { reason = JSON.parse(text).error.message } catch {}
    say(reason ?? `The server answered ${response.status}.`);
  } catch {
    say("The server cannot be reached.");
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

function change(card, fields) {
  return send("PATCH", `/api/cards/${card.id}`, {version: card.version, ...fields});
}

// Moves a card, unless the page does not yet show its last move.
async function move(item, place) {
  if (!place || item.version > item.card.version) return;
  item.version = Infinity;
  item.version = (await change(item.card, place))?.version ?? 0;
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

// Returns the element of a card. The element stays the same, so that it keeps the focus.
function element(card) {
  let item = items.get(card.id);
  if (!item) {
    item = document.getElementById("card").content.firstElementChild.cloneNode(true);
    items.set(card.id, item);
  }
  item.card = card;
  const remarks = card.remarks === 1 ? "1 remark" : `${card.remarks} remarks`;
  const texts = [card.title, card.notes, [card.person, card.remarks && remarks].filter(Boolean).join(", ")];
  item.querySelectorAll("strong, p, span").forEach((part, i) => { part.textContent = texts[i] });
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
    });
    while (list.children.length > cards.length) list.lastChild.remove();
    section.querySelector("h2 span").textContent = cards.length;
  }
  for (const [id, item] of items) {
    if (!item.isConnected) items.delete(id);
    for (const button of item.querySelectorAll("button:not([data-action=edit])"))
      button.ariaDisabled = String(!place(item, button.dataset.action));
  }
  // An element that has moved lost the focus. If the card is gone, its neighbor gets the focus.
  if (item && document.activeElement !== focus) {
    const next = [focus, neighbor?.querySelector("button"), list.nextElementSibling.querySelector("input")];
    next.find(element => element?.isConnected).focus();
  }
}

function edit(card) {
  for (const name of ["title", "notes", "person"]) fields[name].value = card[name] ?? "";
  editor.querySelector(".message").textContent = "";
  editor.card = card;
  editor.showModal();
}

// The dialog stays open after an error, so that no text is lost.
editor.querySelector("form").onsubmit = async event => {
  event.preventDefault();
  if (editor.isSaving) return;
  editor.isSaving = true;
  const texts = Object.fromEntries(["title", "notes", "person"].map(name => [name, fields[name].value]));
  if (await change(editor.card, texts)) editor.close();
  editor.isSaving = false;
};
// The dialog returns the focus to the card, unless the card is deleted.
editor.onclose = () => {
  if (!document.activeElement.closest("li"))
    sections[lanes.indexOf(editor.card.lane)].querySelector("input").focus();
};
fields.cancel.onclick = () => editor.close();
fields.remove.onclick = async () => {
  const {id, version, title} = editor.card;
  if (!confirm(`Delete “${title}”?`)) return;
  if (await send("DELETE", `/api/cards/${id}?version=${version}`)) editor.close();
};

for (const section of sections) {
  const lane = section.dataset.lane;
  section.append(document.getElementById("lane").content.cloneNode(true));
  const form = section.querySelector("form"), field = form.querySelector("input");
  form.onsubmit = async event => {
    event.preventDefault();
    if (field.readOnly) return;
    field.readOnly = true;  // until the reply, so that a second Enter adds no second card
    if (await send("POST", "/api/cards", {title: field.value, lane})) field.value = "";
    field.readOnly = false;
  };
  section.onclick = event => {
    const button = event.target.closest("[data-action]"), item = button?.closest("li");
    if (button?.dataset.action === "edit") edit(item.card);
    else if (button) move(item, place(item, button.dataset.action));
  };
  section.ondragstart = event => { dragged = event.target.closest("li") };
  section.ondragover = event => { event.preventDefault(); section.classList.add("over") };
  section.ondragleave = () => section.classList.remove("over");
  section.ondrop = event => {
    event.preventDefault();
    section.classList.remove("over");
    const next = event.target.closest("li");
    if (dragged && next !== dragged) move(dragged, {lane, before: next?.card.id});
    dragged = null;
  };
}

search.oninput = async () => {
  const own = ++searches, words = search.value.trim();
  const cards = words ? await send("GET", `/api/cards?search=${encodeURIComponent(words)}`) ?? [] : null;
  if (own !== searches) return;
  found = cards && new Set(cards.map(card => card.id));
  draw();
};

function connect() {
  const events = new EventSource("/api/events");
  events.addEventListener("board", event => {
    board = JSON.parse(event.data);
    state.textContent = "live";
    if (found) search.oninput(); else draw();
  });
  events.onerror = () => {
    state.textContent = "offline: trying again …";
    // The browser reconnects, except after an error response.
    if (events.readyState === EventSource.CLOSED) setTimeout(connect, 3_000);
  };
}
connect();
