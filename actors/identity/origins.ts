import { readFileSync } from "node:fs";
import { type CityResponse, Reader } from "mmdb-lib";

/** Roughly where an address is; null for what isn't known of it. */
export type RoughOrigin = { country: string | null; city: string | null };

/** Null for an address of which nothing is known, and where there is no database. */
export type OriginOf = (address: string) => RoughOrigin | null;

/** Reads a MaxMind database (country or city), all of it into memory. Throws when the file can't be read or isn't one. */
export function openOrigins(file: string): OriginOf {
  const reader = new Reader<CityResponse>(readFileSync(file));
  return (address) => {
    let found: CityResponse | null;
    try {
      found = reader.get(address);
    } catch {
      // An address of the other family than the database has.
      return null;
    }
    const country = found?.country?.iso_code ?? null;
    const city = found?.city?.names?.en ?? null;
    return country === null && city === null ? null : { country, city };
  };
}
