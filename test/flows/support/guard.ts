import { failOnUnhandled } from "../../support/unhandled.js"

const listMembers = () => Reflect.ownKeys(Object.prototype).map(String).sort().join()

/** Checks after every test of the file that no error is unhandled and that `Object.prototype` is unchanged. */
export function guardProcess(): void {
  failOnUnhandled()
  const before = listMembers()
  afterEach(() => {
    expect(listMembers()).toBe(before)
  })
}

/** Freezes plain objects and arrays deeply. Instances of classes are not frozen. */
export function deepFreeze<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value
  const prototype: unknown = Object.getPrototypeOf(value)
  if (prototype !== Object.prototype && prototype !== null && !Array.isArray(value)) return value
  for (const key of Reflect.ownKeys(value)) deepFreeze(Reflect.get(value, key))
  return Object.freeze(value)
}
