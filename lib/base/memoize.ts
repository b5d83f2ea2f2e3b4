/** Wraps a function so that it runs once, at the first call; later calls return the same result. */
export function memoize<T>(call: () => T): () => T {
  let called: { readonly result: T } | undefined
  return () => {
    called ??= { result: call() }
    return called.result
  }
}
