/**
 * What `work` gives, or `late()` thrown when it hasn't by `deadline` (of performance.now()). The work itself goes on:
 * the caller sees to its end.
 */
export async function within<T>(work: Promise<T>, deadline: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const overdue = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(late()), Math.max(0, deadline - performance.now()));
  });
  try {
    return await Promise.race([work, overdue]);
  } finally {
    clearTimeout(timer);
  }
}
