import type { ServerResponse } from "node:http";

/** Sends a value as JSON; Express's own method does the same with conditions and settings that aren't used here. */
export function sendJson(res: ServerResponse, status: number, value: unknown): void {
  const text = JSON.stringify(value);
  setJsonHeaders(res, status, Buffer.byteLength(text));
  // A string is sent together with the head, in one piece.
  res.end(text);
}

/** The same for serialized JSON. */
export function sendJsonBytes(res: ServerResponse, status: number, json: Buffer): void {
  setJsonHeaders(res, status, json.length);
  res.end(json);
}

function setJsonHeaders(res: ServerResponse, status: number, bytes: number): void {
  res.statusCode = status;
  res.setHeader("Content-Type", "application/json; charset=utf-8");
  res.setHeader("Content-Length", bytes);
}
