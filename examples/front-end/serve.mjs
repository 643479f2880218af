// Serves the page at http://localhost:5173, for the service at LIVECORE_URL. It is one file, so any server will do.
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const SERVICE = "http://localhost:8080";
const { origin } = new URL(process.env.LIVECORE_URL ?? SERVICE);
const page = readFileSync(new URL("./index.html", import.meta.url), "utf8").replace(SERVICE, () => origin);
const server = createServer((_req, res) => {
  res.setHeader("content-type", "text/html; charset=utf-8");
  res.end(page);
});
server.listen(Number(process.env.PORT ?? 5173), "localhost", () => {
  const address = server.address();
  console.log(`http://localhost:${typeof address === "object" ? address?.port : address}`);
});
