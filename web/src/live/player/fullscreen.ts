/** Lets an element fill the screen, or ends what fills it. */
export function toggleFullscreen(element: HTMLElement | null): void {
  const change = document.fullscreenElement ? document.exitFullscreen() : element?.requestFullscreen();
  // The browser, or the embedding page, doesn't allow it.
  change?.catch(() => undefined);
}
