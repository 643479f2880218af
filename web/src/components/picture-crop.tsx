import type { RefObject } from "preact";
import { useLayoutEffect, useState } from "preact/hooks";
import { TEXTS } from "../texts/texts.ts";
import { cropOf, moved, NEAREST, type Size, wholeOf } from "./crop.ts";

const QUALITY = 0.92;
const ZOOM_STEP = 0.05;
/** How far an arrow key moves it: a part of what is seen. */
const KEY_STEP = 0.04;
const KEYS: Record<string, { x: number; y: number }> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

type Props = {
  picture: ImageBitmap;
  /** Of what is kept of it. */
  shape: Size;
  /** Has what is seen of it. */
  canvas: RefObject<HTMLCanvasElement | null>;
};

/** Moves and zooms a picture in its frame, by pointer, wheel or keys. */
export function PictureCrop({ picture, shape, canvas }: Props) {
  const { profile } = TEXTS.settings;
  const [view, setView] = useState(() => wholeOf(picture));
  const crop = cropOf(picture, shape, view);
  // With the view, and not after the next frame: what is saved is read from the canvas.
  useLayoutEffect(() => {
    const context = canvas.current?.getContext("2d");
    if (!context) return;
    context.clearRect(0, 0, shape.width, shape.height);
    const { x, y, width, height } = cropOf(picture, shape, view);
    context.drawImage(picture, x, y, width, height, 0, 0, shape.width, shape.height);
  }, [view, picture]);

  const move = (x: number, y: number): void => setView((before) => moved(picture, shape, before, { x, y }));
  const zoom = (wanted: number): void =>
    setView((before) =>
      moved(picture, shape, { ...before, zoom: Math.max(1, Math.min(wanted, NEAREST)) }, { x: 0, y: 0 }),
    );
  const drag = (event: PointerEvent): void => {
    const { currentTarget, movementX, movementY } = event;
    if (!(currentTarget instanceof HTMLCanvasElement) || !currentTarget.hasPointerCapture(event.pointerId))
      return;
    const scale = crop.width / currentTarget.clientWidth;
    move(-movementX * scale, -movementY * scale);
  };
  const press = (event: KeyboardEvent): void => {
    const way = KEYS[event.key];
    if (!way) return;
    event.preventDefault();
    move(way.x * crop.width * KEY_STEP, way.y * crop.height * KEY_STEP);
  };
  return (
    <>
      <p class="hint">{profile.cropHint}</p>
      <canvas
        ref={canvas}
        width={shape.width}
        height={shape.height}
        tabIndex={0}
        role="img"
        aria-label={profile.cropArea}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={drag}
        onKeyDown={press}
        onWheel={(event) => {
          event.preventDefault();
          zoom(view.zoom * (event.deltaY < 0 ? 1 + ZOOM_STEP : 1 - ZOOM_STEP));
        }}
      />
      <label>
        {profile.zoom}
        <input
          type="range"
          min={1}
          max={NEAREST}
          step={ZOOM_STEP}
          value={view.zoom}
          onInput={({ currentTarget }) => zoom(currentTarget.valueAsNumber)}
        />
      </label>
    </>
  );
}

/** What is seen of a picture. Browsers that can't write WebP write PNG, which the service takes as well. */
export function pictureIn(canvas: HTMLCanvasElement): Promise<Blob> {
  return new Promise((resolve, reject) => {
    canvas.toBlob(
      (blob) => (blob ? resolve(blob) : reject(new Error("The browser didn't write the picture."))),
      "image/webp",
      QUALITY,
    );
  });
}
