/**
 * The promise, or an error when it takes longer than `ms`. What it gives later is ignored.
 *
 * @throws Error with the message, or the one that is made, when the time is over
 */
export function withTimeout<T>(promise: PromiseLike<T>, ms: number, late: string | (() => Error)): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(typeof late === "string" ? new Error(late) : late()), ms)
    // Whoever writes a thenable of their own may give nothing back.
    void Promise.resolve(promise)
      .then(resolve, reject)
      .then(() => clearTimeout(timer))
  })
}
