import { type AccountDecision, type AccountFacts, decideAccount } from "../../lib/accounts/decide.js"
import type { AdapterUser } from "../../lib/adapters/adapter.js"
import { fc } from "../support/properties.js"

/** The value, or null half of the time. */
const nullOr = <T>(arbitrary: fc.Arbitrary<T>) => fc.option(arbitrary, { freq: 2 })

/** Few users, so that two facts often name the same one. Some adapters have numeric ids. */
const anyUser: fc.Arbitrary<AdapterUser> = fc.record({
  id: fc.constantFrom("1", "2", "3", 1, 2, 3) as fc.Arbitrary<string>,
  email: fc.constantFrom("ada@x.test", "eve@x.test"),
  emailVerified: nullOr(fc.date({ noInvalidDate: true })),
})

const anyFacts: fc.Arbitrary<AccountFacts> = fc.record({
  owner: nullOr(anyUser),
  current: nullOr(anyUser),
  emailUser: nullOr(anyUser),
  isEmailUserVerified: fc.boolean(),
  isStartedByCurrentUser: fc.boolean(),
  isEmailLink: fc.boolean(),
  isEmailVerified: fc.boolean(),
  allowsEmailLinking: fc.boolean(),
})

const holdsForAll = (law: (decision: AccountDecision, facts: AccountFacts) => void) =>
  fc.assert(fc.property(anyFacts, (facts) => law(decideAccount(facts), facts)))

const userOf = (decision: AccountDecision) => ("user" in decision ? decision.user : undefined)
const isSame = (a: AdapterUser | null | undefined, b: AdapterUser | null | undefined) =>
  a && b ? String(a.id) === String(b.id) : false

describe("decideAccount", () => {
  it("depends on the facts only, and selects one of the users in them (property)", () => {
    holdsForAll((decision, facts) => {
      expect(["use", "create", "refuse"]).toContain(decision.do)
      expect(decideAccount(Object.freeze({ ...facts }))).toEqual(decision)
      const user = userOf(decision)
      if (user) expect([facts.owner, facts.current, facts.emailUser]).toContain(user)
    })
  })

  it("ADV-23: does not select a user by an address that the sign-in does not verify (property)", () => {
    holdsForAll((decision, { owner, current, ...facts }) => {
      const user = userOf(decision)
      if (!user || isSame(user, owner) || isSame(user, current)) return
      expect(facts.isEmailLink || (facts.isEmailVerified && facts.allowsEmailLinking)).toBe(true)
    })
  })

  it("SEC-15: does not refuse a sign-in because of an unverified address (property)", () => {
    holdsForAll((decision, { owner, current, isEmailUserVerified }) => {
      if (!owner && !current && !isEmailUserVerified) expect(decision.do).not.toBe("refuse")
    })
  })

  it("SEC-14: verifies the address when it links by an address that was not verified before (property)", () => {
    holdsForAll((decision, { owner, current, emailUser }) => {
      if (decision.do !== "use" || !isSame(decision.user, emailUser)) return
      if (isSame(emailUser, owner) || isSame(emailUser, current) || emailUser?.emailVerified) return
      expect(decision).toMatchObject({ verifiesEmail: true, unlinksUnverified: true })
    })
  })

  it("SEC-12: ends other sessions at the first verification, unless the current user verifies the address (property)", () => {
    holdsForAll((decision, { current, isEmailLink }) => {
      if (decision.do !== "use") return
      const isFirst = decision.verifiesEmail && !decision.user.emailVerified
      expect(decision.unlinksUnverified).toBe(isFirst && !(isEmailLink && isSame(decision.user, current)))
    })
  })

  it("never links an owned account to another user, and creates no second user for it (property)", () => {
    holdsForAll((decision, { owner, isEmailLink }) => {
      if (!owner || isEmailLink) return
      expect(["use", "refuse"]).toContain(decision.do)
      if (decision.do === "use") expect([decision.user, decision.links]).toEqual([owner, false])
    })
  })

  it("ACC-03: links no account to the current user if another user started the sign-in (property)", () => {
    holdsForAll((decision, { owner, current, isStartedByCurrentUser }) => {
      if (!current || isStartedByCurrentUser || isSame(owner, current)) return
      expect(decision.do === "use" && decision.links && isSame(decision.user, current)).toBe(false)
    })
  })

  it("does not change the current user, except by an email link (property)", () => {
    holdsForAll((decision, { current, isEmailLink }) => {
      if (!current || isEmailLink || decision.do === "refuse") return
      expect(isSame(userOf(decision), current)).toBe(true)
    })
  })

  it("selects the user of the address for an email link, regardless of the current user (property)", () => {
    holdsForAll((decision, { emailUser, isEmailLink }) => {
      if (!isEmailLink) return
      expect(decision).toEqual(
        emailUser
          ? { do: "use", user: emailUser, links: false, verifiesEmail: true, unlinksUnverified: expect.any(Boolean) }
          : { do: "create", isVerified: true },
      )
    })
  })

  it("creates no user for an owned account, and names the holder of the address (property)", () => {
    holdsForAll((decision, { owner, current, emailUser, isEmailLink }) => {
      if (decision.do !== "create") return
      expect(decision.holder?.user ?? null).toBe(emailUser)
      if (!isEmailLink) expect([owner, current]).toEqual([null, null])
    })
  })

  it("marks an address as verified only by this sign-in or by a trusted provider (property)", () => {
    holdsForAll((decision, { isEmailLink, isEmailVerified, allowsEmailLinking }) => {
      const isVerification =
        (decision.do === "create" && decision.isVerified) || (decision.do === "use" && decision.verifiesEmail)
      if (!isVerification) return
      expect(isEmailLink || (isEmailVerified && allowsEmailLinking)).toBe(true)
    })
  })

  it("never grants more for a weaker verification (property)", () => {
    const weaker: Partial<AccountFacts>[] = [{ isEmailVerified: false }, { allowsEmailLinking: false }]
    holdsForAll((decision, facts) => {
      if (facts.isEmailLink) return
      for (const less of weaker) {
        const user = userOf(decideAccount({ ...facts, ...less }))
        if (user) expect(userOf(decision)).toBe(user)
      }
    })
  })

  it("treats numeric and textual user ids alike (property)", () => {
    const asText = (user: AdapterUser | null) => user && { ...user, id: String(user.id) }
    holdsForAll((decision, facts) => {
      const { owner, current, emailUser } = facts
      const other = decideAccount({
        ...facts,
        owner: asText(owner),
        current: asText(current),
        emailUser: asText(emailUser),
      })
      expect([other.do, isSame(userOf(other), userOf(decision))]).toEqual([decision.do, "user" in decision])
    })
  })
})
