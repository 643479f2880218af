/** The visible lines and their positions. */
export type Places = { key: string; top: number }[];

export function inSight(list: HTMLElement): Places {
  const { top, bottom } = list.getBoundingClientRect();
  return [...list.querySelectorAll<HTMLElement>("[data-key]")]
    .map((line) => ({ key: line.dataset.key ?? "", place: line.getBoundingClientRect() }))
    .filter(({ place }) => place.bottom > top && place.top < bottom)
    .map(({ key, place }) => ({ key, top: place.top }));
}
