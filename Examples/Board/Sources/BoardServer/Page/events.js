// Follows the board. Calls tell({state, cards}) with the cards after each change, and tell({state}) while the server
// cannot be reached.
export function follow(tell) {
  let number = 0, cards = null;

  function connect() {
    const events = new EventSource("/api/events");
    events.addEventListener("board", event => {
      ({number, cards} = JSON.parse(event.data));
      tell({state: "live", cards});
    });
    events.addEventListener("change", event => {
      const change = JSON.parse(event.data);
      if (change.number !== number + 1) {
        // An event is missing. A new connection begins with the whole board.
        events.close();
        return connect();
      }
      for (const index of change.removed) cards.splice(index, 1);
      for (const {index, card} of change.inserted) cards.splice(index, 0, card);
      number = change.number;
      tell({state: "live", cards});
    });
    events.onerror = () => {
      tell({state: "offline: trying again …"});
      // The browser reconnects, except after an error response.
      if (events.readyState === EventSource.CLOSED) setTimeout(connect, 3_000);
    };
  }
  connect();
}
