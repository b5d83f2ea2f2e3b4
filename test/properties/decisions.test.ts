import { type AccountDecision, type AccountFacts, decideAccount } from "../../lib/accounts/decide.js"
import type { AdapterUser } from "../../lib/adapters/adapter.js"
import { fc } from "../support/properties.js"

/** There as often as not. */
const orNot = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2 })

/** Few people, so that two facts often name the same one; a store may have numbers for ids. */
const anyUser: fc.Arbitrary<AdapterUser> = fc.record({
  id: fc.constantFrom("1", "2", "3", 1, 2, 3) as fc.Arbitrary<string>,
  email: fc.constantFrom("ada@x.test", "eve@x.test"),
  emailVerified: orNot(fc.date({ noInvalidDate: true })),
})

const anyFacts: fc.Arbitrary<AccountFacts> = fc.record({
  owner: orNot(anyUser),
  current: orNot(anyUser),
  sameEmail: orNot(anyUser),
  isBegunByCurrent: fc.boolean(),
  provesEmail: fc.boolean(),
  isEmailVerified: fc.boolean(),
  allowsEmailLinking: fc.boolean(),
})

const holds = (law: (decision: AccountDecision, facts: AccountFacts) => void) =>
  fc.assert(fc.property(anyFacts, (facts) => law(decideAccount(facts), facts)))

const userOf = (decision: AccountDecision) => ("user" in decision ? decision.user : undefined)
const isSame = (a: AdapterUser | null | undefined, b: AdapterUser | null | undefined) =>
  a && b ? String(a.id) === String(b.id) : false

describe("Whose sign-in it is", () => {
  it("is always decided, by the facts alone, and for one of the people in them (property)", () => {
    holds((decision, facts) => {
      expect(["use", "link", "create", "refuse"]).toContain(decision.do)
      expect(decideAccount(Object.freeze({ ...facts }))).toEqual(decision)
      const user = userOf(decision)
      if (user) expect([facts.owner, facts.current, facts.sameEmail]).toContain(user)
    })
  })

  it("ADV-23: is never decided by an address that either side has not proved (property)", () => {
    holds((decision, { owner, current, sameEmail, ...facts }) => {
      const user = userOf(decision)
      if (!user || isSame(user, owner) || isSame(user, current)) return
      const isProvedOnBothSides = facts.isEmailVerified && facts.allowsEmailLinking && Boolean(sameEmail?.emailVerified)
      expect(facts.provesEmail || isProvedOnBothSides).toBe(true)
    })
  })

  it("gives an account that somebody owns to nobody else, and makes no second one of it (property)", () => {
    holds((decision, { owner, provesEmail }) => {
      if (!owner || provesEmail) return
      expect(["use", "refuse"]).toContain(decision.do)
      if (decision.do === "use") expect(decision.user).toBe(owner)
    })
  })

  it("ACC-03: links nothing to whoever is signed in but has not begun it (property)", () => {
    holds((decision, { owner, current, isBegunByCurrent }) => {
      if (!current || isBegunByCurrent || isSame(owner, current)) return
      expect(decision.do).not.toBe("link")
    })
  })

  it("never turns somebody who is signed in into somebody else, but by a link in a mail (property)", () => {
    holds((decision, { current, provesEmail }) => {
      if (!current || provesEmail || decision.do === "refuse") return
      expect(isSame(userOf(decision), current)).toBe(true)
    })
  })

  it("is the address's own user for whoever opens a link that was sent there, whoever is signed in (property)", () => {
    holds((decision, { sameEmail, provesEmail }) => {
      if (!provesEmail) return
      expect(decision).toEqual(
        sameEmail ? { do: "use", user: sameEmail, proved: true } : { do: "create", proved: true },
      )
    })
  })

  it("makes nobody twice: not where the account has an owner, nor where the address has a user (property)", () => {
    holds((decision, { owner, current, sameEmail, provesEmail }) => {
      if (decision.do !== "create") return
      expect(sameEmail).toBeNull()
      if (!provesEmail) expect([owner, current]).toEqual([null, null])
    })
  })

  it("calls an address proved only where this sign-in, or a provider whose word links, has proved it (property)", () => {
    holds((decision, { provesEmail, isEmailVerified, allowsEmailLinking }) => {
      if (!("proved" in decision) || !decision.proved) return
      expect(provesEmail || (isEmailVerified && allowsEmailLinking)).toBe(true)
    })
  })

  it("opens no door by less proof that stays shut with more (property)", () => {
    const weaker: Partial<AccountFacts>[] = [{ isEmailVerified: false }, { allowsEmailLinking: false }]
    holds((decision, facts) => {
      if (facts.provesEmail) return
      for (const less of weaker) {
        const user = userOf(decideAccount({ ...facts, ...less }))
        if (user) expect(userOf(decision)).toBe(user)
      }
    })
  })

  it("does not depend on whether a store's ids are numbers or text (property)", () => {
    const asText = (user: AdapterUser | null) => user && { ...user, id: String(user.id) }
    holds((decision, facts) => {
      const { owner, current, sameEmail } = facts
      const other = decideAccount({
        ...facts,
        owner: asText(owner),
        current: asText(current),
        sameEmail: asText(sameEmail),
      })
      expect([other.do, isSame(userOf(other), userOf(decision))]).toEqual([decision.do, "user" in decision])
    })
  })
})
