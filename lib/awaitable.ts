import type { Awaitable } from "./types.js"

/** Has to be waited for: where most values are there at once, the wait for each would cost more than the value. */
export const isPromiseLike = <T>(value: Awaitable<T>): value is PromiseLike<T> =>
  typeof value === "object" && value !== null && "then" in value && typeof value.then === "function"
