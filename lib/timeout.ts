/**
 * The promise, or an error when it takes longer than `ms`. What it gives later is ignored.
 *
 * @throws Error with the message when the time is over
 */
export function withTimeout<T>(promise: PromiseLike<T>, ms: number, message: string): Promise<T> {
  return new Promise<T>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(message)), ms)
    // Whoever writes a thenable of their own may give nothing back.
    void Promise.resolve(promise)
      .then(resolve, reject)
      .then(() => clearTimeout(timer))
  })
}
