import { failOnUnhandled } from "../../support/unhandled.js"

const membersOf = () => Reflect.ownKeys(Object.prototype).map(String).sort().join()

/** After every test of the file: nothing unhandled, and nobody has put anything on `Object.prototype`. */
export function guardProcess(): void {
  failOnUnhandled()
  const before = membersOf()
  afterEach(() => {
    expect(membersOf()).toBe(before)
  })
}

/** Freezes plain objects and lists to the bottom; what has state of its own stays as it is. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null && !Array.isArray(value)) return value
  for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key))
  return Object.freeze(value)
}
