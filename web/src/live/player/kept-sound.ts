const KEY = "livecore-sound";
type Sound = { volume: number; isMuted: boolean };

/** What was chosen last in this browser; loud, without a choice. Browsers allow sound only once the page was used. */
export function keptSound(): Sound {
  const kept = read();
  const isUsed = navigator.userActivation?.hasBeenActive === true;
  return { volume: kept?.volume ?? 1, isMuted: kept?.isMuted !== false || !isUsed };
}

/** For what plays only once it is pressed, which browsers allow with sound. */
export function keptSoundOnPress(): Sound {
  const kept = read();
  return { volume: kept?.volume ?? 1, isMuted: kept?.isMuted ?? false };
}

export function keepSound({ volume, isMuted }: Sound): void {
  try {
    localStorage.setItem(KEY, JSON.stringify({ volume, isMuted }));
  } catch {
    // It lasts as long as the page.
  }
}

function read(): Sound | null {
  try {
    const { volume, isMuted } = Object(JSON.parse(localStorage.getItem(KEY) ?? "null"));
    const isVolume = typeof volume === "number" && volume > 0 && volume <= 1;
    return isVolume && typeof isMuted === "boolean" ? { volume, isMuted } : null;
  } catch {
    // The browser denies storage, or something else has written there.
    return null;
  }
}
