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
  isAddressProved: fc.boolean(),
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
      expect(["use", "create", "refuse"]).toContain(decision.do)
      expect(decideAccount(Object.freeze({ ...facts }))).toEqual(decision)
      const user = userOf(decision)
      if (user) expect([facts.owner, facts.current, facts.sameEmail]).toContain(user)
    })
  })

  it("ADV-23: is never decided by an address that this sign-in does not prove (property)", () => {
    holds((decision, { owner, current, ...facts }) => {
      const user = userOf(decision)
      if (!user || isSame(user, owner) || isSame(user, current)) return
      expect(facts.provesEmail || (facts.isEmailVerified && facts.allowsEmailLinking)).toBe(true)
    })
  })

  it("SEC-15: is not refused for an address that was never proved (property)", () => {
    holds((decision, { owner, current, isAddressProved }) => {
      if (!owner && !current && !isAddressProved) expect(decision.do).not.toBe("refuse")
    })
  })

  it("SEC-14: proves the address of a user again who never proved it, wherever it links by address (property)", () => {
    holds((decision, { owner, current, sameEmail }) => {
      if (decision.do !== "use" || !isSame(decision.user, sameEmail)) return
      if (isSame(sameEmail, owner) || isSame(sameEmail, current) || sameEmail?.emailVerified) return
      expect(decision).toMatchObject({ proves: true, evicts: true })
    })
  })

  it("SEC-12: evicts at the first proof, and never from the browser that is signed in as the user (property)", () => {
    holds((decision, { current, provesEmail }) => {
      if (decision.do !== "use") return
      const isFirst = decision.proves && !decision.user.emailVerified
      expect(decision.evicts).toBe(isFirst && !(provesEmail && isSame(decision.user, current)))
    })
  })

  it("gives an account that somebody owns to nobody else, and makes no second one of it (property)", () => {
    holds((decision, { owner, provesEmail }) => {
      if (!owner || provesEmail) return
      expect(["use", "refuse"]).toContain(decision.do)
      if (decision.do === "use") expect([decision.user, decision.links]).toEqual([owner, false])
    })
  })

  it("ACC-03: links nothing to whoever is signed in but has not begun it (property)", () => {
    holds((decision, { owner, current, isBegunByCurrent }) => {
      if (!current || isBegunByCurrent || isSame(owner, current)) return
      expect(decision.do === "use" && decision.links && isSame(decision.user, current)).toBe(false)
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
        sameEmail
          ? { do: "use", user: sameEmail, links: false, proves: true, evicts: expect.any(Boolean) }
          : { do: "create", proved: true },
      )
    })
  })

  it("creates no second user of an account, and knows whose address the new one has (property)", () => {
    holds((decision, { owner, current, sameEmail, provesEmail }) => {
      if (decision.do !== "create") return
      expect(decision.holder?.user ?? null).toBe(sameEmail)
      if (!provesEmail) expect([owner, current]).toEqual([null, null])
    })
  })

  it("calls an address proved only where this sign-in, or a provider whose word links, has proved it (property)", () => {
    holds((decision, { provesEmail, isEmailVerified, allowsEmailLinking }) => {
      const isProof = (decision.do === "create" && decision.proved) || (decision.do === "use" && decision.proves)
      if (!isProof) return
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
