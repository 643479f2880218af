/**
 * What a socket or a response is sent, as bytes. uWebSockets.js is never handed text: with Node 24 it sends texts of which every
 * character is below U+0100 in Latin-1, and clients close a socket whose text isn't UTF-8.
 */
export const utf8 = (text: Buffer | string): Buffer => (typeof text === "string" ? Buffer.from(text) : text);
