import { type FaultyProvider, type FaultyProviderOptions, startFaultyProvider } from "../../support/faulty-provider.js"

/**
 * Starts a provider before the tests of a file, resets its behaviour before each test, and stops it at the end. The
 * returned object forwards to the provider, so it can be used only while tests run.
 */
export function useProvider(options: FaultyProviderOptions = {}): FaultyProvider {
  let started: FaultyProvider | undefined
  const provider = (): FaultyProvider => {
    if (!started) throw new Error("the provider runs only while tests run")
    return started
  }
  beforeAll(async () => {
    started = await startFaultyProvider(options)
  })
  beforeEach(() => provider().reset())
  afterAll(() => started?.close())
  // Every access is forwarded, so the target is never used.
  return new Proxy({} as FaultyProvider, {
    get(_, name) {
      const value: unknown = Reflect.get(provider(), name)
      return typeof value === "function" ? value.bind(provider()) : value
    },
    set: (_, name, value) => Reflect.set(provider(), name, value),
  })
}
