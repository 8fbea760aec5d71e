// Shares one connection among all pages of a browser, which has at most six connections to a server.
import {follow} from "/events.js";

const pages = new Set();
let news = {};

onconnect = event => {
  const [page] = event.ports;
  pages.add(page);
  page.onmessage = () => pages.delete(page);
  page.postMessage(news);
};
follow(latest => {
  news = {...news, ...latest};
  for (const page of pages) page.postMessage(news);
});
