import { isIP } from "node:net";
import { type AppVersions, isOlder, versionFrom } from "../../../actors/accounts/apps/versions.ts";
import { openOrigins } from "../../../actors/accounts/profile/origins.ts";
import { networksFrom } from "../../../base/addresses.ts";
import { Secret } from "./secret.ts";

/** How the text of a variable is parsed. `parse` throws an Error whose message continues the sentence "NAME …". */
export type Schema<T> = {
  /** For the configuration page: what may be written. */
  readonly shape: string;
  parse(text: string): T;
};

export const text: Schema<string> = { shape: "text", parse: (value) => value };

/** Null when the variable is empty or missing. */
export const optionalText: Schema<string | null> = {
  shape: "text or nothing",
  parse: (value) => (value === "" ? null : value),
};

export const port: Schema<number> = integer(1, 65_535, "a port");

export function integer(least: number, most: number, what = "a whole number"): Schema<number> {
  return {
    shape: `${least} to ${most}`,
    parse(value) {
      const number = /^\d{1,10}$/.test(value) ? Number(value) : Number.NaN;
      if (!(number >= least && number <= most)) throw new Error(`must be ${what} from ${least} to ${most}`);
      return number;
    },
  };
}

export const positive: Schema<number> = {
  shape: "a number above 0",
  parse(value) {
    const number = /^\d+(\.\d+)?$/.test(value) ? Number(value) : Number.NaN;
    if (!(number > 0 && Number.isFinite(number)))
      throw new Error("must be a number above 0, such as 1 or 0.5");
    return number;
  },
};

export function oneOf<const T extends string>(...allowed: readonly T[]): Schema<T> {
  return {
    shape: allowed.join(", "),
    parse(value) {
      const found = allowed.find((one) => one === value);
      if (found === undefined) throw new Error(`must be one of ${allowed.join(", ")}`);
      return found;
    },
  };
}

/** An address to listen on; "auto" lets NODE_ENV decide. */
export const listenAddress: Schema<string> = {
  shape: "auto or an address",
  parse(value) {
    if (value !== "auto" && isIP(value) === 0) {
      throw new Error("must be auto, or an address such as 127.0.0.1, 0.0.0.0 or ::");
    }
    return value;
  },
};

export function url(...protocols: readonly string[]): Schema<string> {
  return {
    shape: protocols.map((protocol) => `${protocol}://…`).join(" or "),
    parse(value) {
      // A MongoDB address may name several hosts, which URL refuses; so only the scheme and a non-empty rest are checked.
      const [scheme, rest] = value.split("://", 2);
      if (!protocols.includes(scheme ?? "") || !rest || /\s/.test(value)) {
        throw new Error(
          `must be an address that begins with ${protocols.map((p) => `${p}://`).join(" or ")}`,
        );
      }
      return value;
    },
  };
}

/**
 * A base to which paths are appended: no query or fragment that would swallow them, no credentials that would be shown, and the
 * slash at its end is removed.
 */
export function baseAddress(...protocols: readonly string[]): Schema<string> {
  const address = url(...protocols);
  return {
    shape: address.shape,
    parse(value) {
      const parsed = URL.canParse(address.parse(value)) ? new URL(value) : null;
      if (!parsed || parsed.search || parsed.hash || parsed.username || parsed.password)
        throw new Error("must be an address without credentials, query and fragment");
      return value.replace(/(?<!\/)\/+$/, "");
    },
  };
}

export function optionalBaseAddress(...protocols: readonly string[]): Schema<string | null> {
  const address = baseAddress(...protocols);
  return {
    shape: `${address.shape}, or nothing`,
    parse: (value) => (value === "" ? null : address.parse(value)),
  };
}

function list<T>(one: Schema<T>): Schema<readonly T[]> {
  return {
    shape: `${one.shape}, separated by commas`,
    parse: (value) =>
      value
        .split(",")
        .map((entry) => entry.trim())
        .filter((entry) => entry !== "")
        .map((entry) => one.parse(entry)),
  };
}

export const origins = list<string>({
  shape: "https://host[:port]",
  parse(value) {
    const parsed = URL.canParse(value) ? new URL(value) : null;
    if (parsed?.origin !== value || !/^https?:$/.test(parsed.protocol)) {
      throw new Error(`holds "${value}", which isn't an exact origin such as https://app.example.com`);
    }
    return value;
  },
});

export const networks = list<string>({
  shape: "address or network (10.0.0.0/8)",
  parse(value) {
    try {
      networksFrom([value]);
    } catch (err) {
      throw new Error(`holds ${err instanceof Error ? err.message : value}`);
    }
    return value;
  },
});

const GUESSABLE = /change.?me|secret|password|example|livecore|default|12345|abcdef/i;

/** One in thousands of random values looks guessable, too. */
export const isGuessable = (value: string): boolean => new Set(value).size < 10 || GUESSABLE.test(value);

/** Long and varied enough that it can't be guessed. The rule also holds in development, where secrets are generated. */
export const secret: Schema<Secret> = {
  shape: "at least 32 random characters",
  parse(value) {
    if (value.length < 32) throw new Error("is too short: it must have at least 32 random characters");
    if (isGuessable(value)) {
      throw new Error("is too easy to guess: make one with `openssl rand -hex 32`");
    }
    return new Secret(value);
  },
};

/** A readable MaxMind database. Null when it isn't given. */
export const originsFile: Schema<string | null> = {
  shape: "a file or nothing",
  parse(value) {
    if (value === "") return null;
    try {
      openOrigins(value);
    } catch (err) {
      throw new Error(`names ${value}, which can't be read as a MaxMind database: ${String(err)}`);
    }
    return value;
  },
};

/** Null when it isn't given. */
export const loneSecret: Schema<Secret | null> = {
  shape: `${secret.shape}, or nothing`,
  parse: (value) => (value === "" ? null : secret.parse(value)),
};

export const optionalSecrets: Schema<readonly Secret[]> = list(secret);

/** A secret from a third party, whose form isn't ours to check. Null when it isn't given. */
export const optionalSecret: Schema<Secret | null> = {
  shape: "a secret or nothing",
  parse: (value) => (value === "" ? null : new Secret(value)),
};

export const givenSecrets = list<Secret>({ shape: "a secret", parse: (value) => new Secret(value) });

/** It contains a password, so it is a secret. Null when it isn't given. */
export const smtpAddress: Schema<Secret | null> = {
  shape: "smtp://… or smtps://…, or nothing",
  parse(value) {
    if (value === "") return null;
    const parsed = /^smtps?:\/\//.test(value) && URL.canParse(value) ? new URL(value) : null;
    const isPlain = parsed && /^\/?$/.test(parsed.pathname) && !parsed.search && !parsed.hash;
    if (!parsed?.hostname || !isPlain)
      throw new Error("must be smtp:// or smtps:// with a host, and perhaps a user, a password and a port");
    return new Secret(value);
  },
};

/** Strict about the address, since it is put into SMTP commands and mail headers. */
export const mailSender: Schema<{ name: string; address: string }> = {
  shape: "address, or Name <address>",
  parse(value) {
    const [, name = "", address = value] = /^([^<>"\p{Cc}]*)<([^<>]+)>$/u.exec(value) ?? [];
    if (!/^[\w.+-]+@[\w-]+(\.[\w-]+)*$/.test(address))
      throw new Error("must be an address such as no-reply@example.com, or Name <no-reply@example.com>");
    return { name: name.trimEnd(), address };
  },
};

export const appVersions: Schema<AppVersions> = {
  shape: "two versions, separated by a comma",
  parse(value) {
    const [oldest, latest, more] = list({ shape: "a version", parse: versionFrom }).parse(value);
    if (!oldest || !latest || more)
      throw new Error("must be the oldest and the latest version, such as 1.4.0,2.1.0");
    if (isOlder(latest, oldest)) throw new Error("must have the oldest version first");
    return { oldest, latest };
  },
};

export const currency: Schema<string> = {
  shape: "three capital letters",
  parse(value) {
    if (!/^[A-Z]{3}$/.test(value)) throw new Error("must be a currency by its three letters, such as EUR");
    return value;
  },
};

export const tierPrices: Schema<readonly [number, number, number]> = {
  shape: "three whole numbers, separated by commas, rising",
  parse(value) {
    const [one, two, three, more] = list(integer(1, 100_000_000)).parse(value);
    if (one === undefined || two === undefined || three === undefined || more !== undefined)
      throw new Error("must be the prices of tier 1, 2 and 3, such as 499,999,2499");
    if (!(one < two && two < three)) throw new Error("must rise from tier to tier");
    return [one, two, three];
  },
};
