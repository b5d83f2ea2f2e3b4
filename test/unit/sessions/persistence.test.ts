import {
  createAges,
  decidePersistence,
  hasPersistentClaims,
  isPersistentToken,
  toPersistenceClaims,
  withPersistence,
} from "../../../lib/sessions/persistence.js"

describe("the persistence of a new session", () => {
  it.each([
    [true, undefined, true],
    [true, false, true],
    [false, undefined, false],
    [false, true, false],
    ["ask", undefined, false],
    ["ask", false, false],
    ["ask", true, true],
  ] as const)("with session.remember %j and the choice %j is %j", (remember, choice, expected) => {
    expect(decidePersistence(remember, choice)).toBe(expected)
  })

  it.each([true, false])("is the same in the claims and in the token: %j", (isPersistent) => {
    expect(hasPersistentClaims(toPersistenceClaims(isPersistent))).toBe(isPersistent)
    expect(isPersistentToken(withPersistence("a-token", isPersistent))).toBe(isPersistent)
    expect(isPersistentToken(`${withPersistence("a-token", isPersistent)}.t8kq3a`)).toBe(isPersistent)
  })

  it("adds nothing to a persistent session, as in Auth.js", () => {
    expect([toPersistenceClaims(true), withPersistence("a-token", true)]).toEqual([{}, "a-token"])
  })

  it.each(["a.transient.b", "a.transients", "transient", "a.transient.t8kq3ab9"])(
    "is true for a token that only resembles one of a transient session: %s",
    (token) => {
      expect(isPersistentToken(token)).toBe(true)
    },
  )
})

describe("the ages of a session", () => {
  const THIRTY_DAYS = { maxAge: 2_592_000, updateAge: 86_400 }

  it("are those of the options if its cookie is persistent", () => {
    expect(createAges(THIRTY_DAYS)(true)).toEqual(THIRTY_DAYS)
  })

  it("are at most a day, and a thirtieth of it, if its cookie ends with the browser", () => {
    expect(createAges(THIRTY_DAYS)(false)).toEqual({ maxAge: 86_400, updateAge: 2_880 })
    expect(createAges({ maxAge: 3_600, updateAge: 120 })(false)).toEqual({ maxAge: 3_600, updateAge: 120 })
  })
})
