import { failureOf, signIn, siteWith } from "./fake-endpoints.js"

describe("finishOAuth with a profile() that never settles", () => {
  // Only the timeout itself uses the fake timers.
  beforeEach(
    () => void jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate", "Date", "performance"] }),
  )
  afterEach(() => void jest.useRealTimers())

  it("rejects half a second after the limit for all calls", async () => {
    let started = () => {}
    const called = new Promise<void>((resolve) => {
      started = resolve
    })
    const profile = () => {
      started()
      return new Promise<never>(() => {})
    }
    const ends: string[] = []
    const failure = failureOf(signIn(siteWith({}, { profile }))).finally(() => ends.push("ended"))
    await Promise.race([called, failure])
    await jest.advanceTimersByTimeAsync(8_499)
    expect(ends).toEqual([])
    await jest.advanceTimersByTimeAsync(1)
    expect(await failure).toMatchObject({
      type: "OAuthCallbackError",
      cause: {
        err: {
          message:
            "the sign-in was not finished within 8 s. The limit covers all requests to the provider and the functions in its options together",
        },
      },
    })
  })
})
