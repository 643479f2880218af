import { invalid, type ServiceError } from "../../../contract/errors.ts";

/** An RTMP server's report about a publisher. `streamKey` is a secret: it must not be in logs or answers. */
export type PublisherHook = { streamKey: string; clientId: string; addr: string };

const LONGEST = { name: 256, clientid: 64, addr: 128 } as const;

/**
 * Parses the form that nginx-rtmp posts (`notify_method post`) for `call`.
 *
 * nginx-rtmp appends the publisher's own query string to the body, so `rtmp://host/app/key?name=other&addr=…`
 * arrives as `name=key&…&name=other&addr=…`. The server's fields always come first and are complete, so the FIRST of a
 * repeated field counts, and the publisher can't spoof the server's fields.
 *
 * Throws `validation_failed` when a field is missing or too long, or for another call.
 */
export function readNginxRtmpHook(body: Uint8Array, call: "publish" | "publish_done"): PublisherHook {
  const form = formOf(body);
  if (form.get("call") !== call) throw malformed("call", `the call must be ${call}`);
  return hookFrom(form);
}

/** As above, for the update of a connection. Null for one that plays: nginx-rtmp sends updates of these, too. */
export function readNginxRtmpUpdate(body: Uint8Array): PublisherHook | null {
  const form = formOf(body);
  const call = form.get("call");
  if (call === "update_play") return null;
  if (call !== "update_publish") throw malformed("call", "the call must be update_publish or update_play");
  return hookFrom(form);
}

const formOf = (body: Uint8Array) => new URLSearchParams(new TextDecoder().decode(body));

function hookFrom(form: URLSearchParams): PublisherHook {
  return {
    streamKey: requireField(form, "name"),
    clientId: requireField(form, "clientid"),
    addr: requireField(form, "addr"),
  };
}

function requireField(form: URLSearchParams, field: keyof typeof LONGEST): string {
  // `get` returns the first of a repeated field.
  const value = form.get(field);
  if (!value) throw malformed(field, "is required");
  if (value.length > LONGEST[field]) throw malformed(field, `has at most ${LONGEST[field]} characters`);
  return value;
}

function malformed(field: string, message: string): ServiceError {
  return invalid({ path: `body/${field}`, rule: "form", message });
}
