/** How a socket gets to where its room's messages come: what it waits for in what it is sent, and what it says then. */
export type Opening = { path: string; steps: { awaits: string; answer?: string }[] };

export type DialectName = "ours" | "plain" | "socketio";

/**
 * What the load says to a server. `room` is the stream's id for ours, "r00001" for the others. A message carries its
 * number in a form that is looked for in the bytes that come back (see load/deliveries.ts).
 */
export type Dialect = {
  viewer(room: string, ticket?: string, after?: string): Opening;
  sender(ticket?: string): Opening;
  message(room: string, n: number): string;
  /** What a client says from time to time beside WebSocket's own pongs. */
  keepAlive?: string;
};

/** In no other text of any dialect. */
export const MARK = "\u{1F3AF}";
export const DIGITS = 8;
/** A digit is one of ten emoji in a row: the same bytes but for the last one, which begins here. */
const DIGIT_ZERO = "\u{1F340}";
export const DIGIT_BYTES = Buffer.byteLength(DIGIT_ZERO);
export const LAST_BYTE_OF_ZERO = Buffer.from(DIGIT_ZERO).at(-1) ?? 0;

/** Emoji alone, so that an emote-only room admits them: 99 bytes with mark and number. */
const FILLING = ` ${"\u{1F389}".repeat(5)}`.repeat(3);

const digit = (of: string): string => String.fromCodePoint((DIGIT_ZERO.codePointAt(0) ?? 0) + Number(of));
const content = (n: number): string =>
  `${MARK}${Array.from(String(n).padStart(DIGITS, "0"), digit).join("")}${FILLING}`;

/** About 190 bytes, which the peers pass on as they are. */
const plainMessage = (n: number): string =>
  JSON.stringify({
    id: "0199a5d2-6f1c-7aaa-8bbb-0123456789ab",
    user: "u000001",
    at: 1_763_000_000_000,
    content: content(n),
  });

export const DIALECTS: Record<DialectName, Dialect> = {
  ours: {
    viewer: (room, ticket, after) => ({
      path: `/v1/ws/chat/${room}?${new URLSearchParams({ ...(ticket ? { ticket } : {}), ...(after ? { after } : {}) })}`,
      steps: [{ awaits: '"subscribed"' }],
    }),
    sender: (ticket) => ({
      path: `/v1/ws?${new URLSearchParams(ticket ? { ticket } : {})}`,
      steps: [{ awaits: '"hello"' }],
    }),
    message: (room, n) =>
      `{"id":${n},"method":"chat.send","params":{"channel":"chat:${room}","content":"${content(n)}","nonce":"n${n}"}}`,
  },
  plain: {
    viewer: (room) => ({ path: `/${room}`, steps: [{ awaits: "ready" }] }),
    sender: () => ({ path: "/", steps: [{ awaits: "ready" }] }),
    message: (room, n) => `${room} ${plainMessage(n)}`,
  },
  socketio: {
    viewer: (room) => ({
      path: "/socket.io/?EIO=4&transport=websocket",
      steps: [
        { awaits: '0{"sid"', answer: "40" },
        { awaits: '40{"sid"', answer: `42["join","${room}"]` },
        { awaits: "ready" },
      ],
    }),
    sender: () => ({
      path: "/socket.io/?EIO=4&transport=websocket",
      steps: [{ awaits: '0{"sid"', answer: "40" }, { awaits: '40{"sid"' }],
    }),
    message: (room, n) => `42["say","${room}",${JSON.stringify(plainMessage(n))}]`,
    keepAlive: "3",
  },
};
