/**
 * Runs the work several times, and returns its shortest duration in milliseconds. Other work on the machine lengthens the
 * other durations.
 */
export async function shortestDuration(work: () => unknown, attempts = 7): Promise<number> {
  let shortest = Infinity
  for (let attempt = 0; attempt < attempts; attempt++) {
    const startedAt = performance.now()
    await work()
    shortest = Math.min(shortest, performance.now() - startedAt)
  }
  return shortest
}
