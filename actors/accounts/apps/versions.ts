/** Such as "1.4.0": three numbers, compared from left to right. */
type AppVersion = readonly [major: number, minor: number, patch: number];

export type AppVersions = { oldest: AppVersion; latest: AppVersion };

/** The platform whose app versions are requested. */
export type Platform = "ios" | "android";

/** Throws an Error for anything but three numbers. */
export function versionFrom(text: string): AppVersion {
  const [, major, minor, patch] = /^(\d{1,6})\.(\d{1,6})\.(\d{1,6})$/.exec(text) ?? [];
  if (patch === undefined) throw new Error("must be three numbers, such as 1.4.0");
  return [Number(major), Number(minor), Number(patch)];
}

export const isOlder = (one: AppVersion, other: AppVersion): boolean => {
  const at = one.findIndex((part, i) => part !== other[i]);
  return at >= 0 && (one[at] ?? 0) < (other[at] ?? 0);
};
