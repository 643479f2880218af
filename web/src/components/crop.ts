/** Width and height, or a place, in pixels of the picture. */
export type Size = { width: number; height: number };
type Crop = { x: number; y: number; width: number; height: number };

/** What is seen of the picture: its middle, and how much nearer than the whole. */
type View = { x: number; y: number; zoom: number };

export const NEAREST = 4;

/** The largest part of that shape around the middle of the view, moved so far that it is within the picture. */
export function cropOf(picture: Size, shape: Size, { x, y, zoom }: View): Crop {
  const scale = Math.min(picture.width / shape.width, picture.height / shape.height) / zoom;
  const [width, height] = [shape.width * scale, shape.height * scale];
  return {
    x: between(0, x - width / 2, picture.width - width),
    y: between(0, y - height / 2, picture.height - height),
    width,
    height,
  };
}

/** The view moved by so many pixels of the picture, no farther than its edges. */
export function moved(picture: Size, shape: Size, view: View, by: { x: number; y: number }): View {
  const crop = cropOf(picture, shape, { ...view, x: view.x + by.x, y: view.y + by.y });
  return { ...view, x: crop.x + crop.width / 2, y: crop.y + crop.height / 2 };
}

export const wholeOf = ({ width, height }: Size): View => ({ x: width / 2, y: height / 2, zoom: 1 });

const between = (least: number, value: number, most: number): number =>
  Math.max(least, Math.min(value, most));
