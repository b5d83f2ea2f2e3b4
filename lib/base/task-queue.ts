/** Runs a task as soon as the number of running tasks allows it. The returned promise settles as the task does. */
export type TaskQueue = <T>(task: () => Promise<T>) => Promise<T>

/** Creates a queue that runs at most `maxRunning` tasks at once. */
export function createTaskQueue(maxRunning: number): TaskQueue {
  const waiting: (() => void)[] = []
  let running = 0
  /** Called when a task has finished: starts the next waiting task, if there is one. */
  const release = (): void => {
    const startNext = waiting.shift()
    if (startNext) startNext()
    else running--
  }
  return async (task) => {
    if (running < maxRunning) running++
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await task()
    } finally {
      release()
    }
  }
}

/**
 * Runs `work` for each item, for at most `maxRunning` items at once. Resolves to the results in the order of the items.
 */
export async function mapConcurrently<T, R>(
  items: readonly T[],
  maxRunning: number,
  work: (item: T) => Promise<R>,
): Promise<R[]> {
  const queue = createTaskQueue(maxRunning)
  return Promise.all(items.map((item) => queue(() => work(item))))
}
