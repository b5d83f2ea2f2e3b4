import { failureOf, settingWith, signIn } from "./answering.js"

describe("a provider's own function that does not end", () => {
  // All of it but the time-out itself goes on as ever.
  beforeEach(
    () => void jest.useFakeTimers({ doNotFake: ["nextTick", "queueMicrotask", "setImmediate", "Date", "performance"] }),
  )
  afterEach(() => void jest.useRealTimers())

  it("is given up after the time that the calls have, and half a second", async () => {
    let begun = () => {}
    const asked = new Promise<void>((resolve) => {
      begun = resolve
    })
    const profile = () => {
      begun()
      return new Promise<never>(() => {})
    }
    const ends: string[] = []
    const failure = failureOf(signIn(settingWith({}, { profile }))).finally(() => ends.push("ended"))
    await Promise.race([asked, failure])
    await jest.advanceTimersByTimeAsync(8_499)
    expect(ends).toEqual([])
    await jest.advanceTimersByTimeAsync(1)
    expect(await failure).toMatchObject({
      type: "OAuthCallbackError",
      cause: {
        err: {
          message: "the sign-in was not finished within 8 s, all calls and the provider's own functions together",
        },
      },
    })
  })
})
