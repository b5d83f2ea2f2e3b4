import { type AccountFacts, decideAccount } from "../../../lib/accounts/decide.js"
import type { AdapterUser } from "../../../lib/adapters/adapter.js"

const user = (id: string, emailVerified: Date | null = null): AdapterUser => ({
  id,
  email: `${id}@x.test`,
  emailVerified,
})
const VERIFIED = new Date(0)

/** Every combination of facts, with the decision that an independent restatement of the rules expects. */
const booleans = [false, true]
const table = [null, user("1")].flatMap((owner) =>
  [null, user("1"), user("2"), user("3")].flatMap((current) =>
    [null, user("3"), user("3", VERIFIED)].flatMap((emailUser) =>
      booleans.flatMap((isEmailVerified) =>
        booleans.flatMap((allowsEmailLinking) =>
          booleans.flatMap((isEmailLink) =>
            booleans.flatMap((isEmailUserVerified) =>
              booleans.map((isStartedByCurrentUser): [string, AccountFacts, string] => {
                const users = { owner, current, isStartedByCurrentUser, emailUser, isEmailUserVerified }
                const facts = { ...users, isEmailLink, isEmailVerified, allowsEmailLinking }
                return [JSON.stringify(facts), facts, expectedDecision(facts)]
              }),
            ),
          ),
        ),
      ),
    ),
  ),
)

function expectedDecision(facts: AccountFacts): string {
  const { owner, current, emailUser } = facts
  const unlinks = emailUser && !emailUser.emailVerified && current?.id !== emailUser.id ? ", unlinks" : ""
  if (facts.isEmailLink) return emailUser ? `use 3, verifies${unlinks}` : "create, verified"
  if (owner && current && owner.id !== current.id) return "refuse"
  if (owner) return "use 1"
  if (current) return facts.isStartedByCurrentUser ? `link ${current.id}, connects` : "refuse, started by another"
  const isTrusted = facts.allowsEmailLinking && facts.isEmailVerified
  if (!emailUser) return isTrusted ? "create, verified" : "create"
  if (isTrusted) return emailUser.emailVerified === VERIFIED ? "link 3" : "link 3, verifies, unlinks"
  if (facts.isEmailUserVerified) return "refuse"
  return facts.isEmailVerified ? "create, 3 loses the address" : "create without the address"
}

function describeDecision(facts: AccountFacts): string {
  const decision = decideAccount(facts)
  switch (decision.do) {
    case "refuse":
      return decision.isOfAnotherSession ? "refuse, started by another" : "refuse"
    case "use": {
      const { user, links, verifiesEmail, unlinksUnverified, isConnection } = decision
      expect([links, verifiesEmail, unlinksUnverified].every((flag) => typeof flag === "boolean")).toBe(true)
      const effects = [verifiesEmail && "verifies", unlinksUnverified && "unlinks", isConnection && "connects"]
      return [`${links ? "link" : "use"} ${user.id}`, ...effects].filter(Boolean).join(", ")
    }
    case "create": {
      const { holder, isVerified } = decision
      if (holder?.losesAddress) return `create, ${holder.user.id} loses the address`
      if (holder) return "create without the address"
      return isVerified ? "create, verified" : "create"
    }
  }
}

it("the table covers all 768 combinations of facts and all 14 decisions", () => {
  expect(table).toHaveLength(768)
  expect(new Set(table.map(([, , decision]) => decision))).toEqual(
    new Set([
      ...["use 1", "use 3, verifies", "use 3, verifies, unlinks", "refuse", "refuse, started by another"],
      ...["link 1, connects", "link 2, connects", "link 3, connects", "link 3", "link 3, verifies, unlinks"],
      ...["create", "create, verified", "create, 3 loses the address", "create without the address"],
    ]),
  )
})

it.each(table)("decideAccount decides as the rules expect for %s", (_name, facts, decision) => {
  expect(describeDecision(facts)).toBe(decision)
})

describe("decideAccount with an unverified email address (SEC-15)", () => {
  const facts = {
    owner: null,
    current: null,
    isStartedByCurrentUser: false,
    emailUser: user("3"),
    isEmailUserVerified: false,
    isEmailLink: false,
    isEmailVerified: false,
    allowsEmailLinking: false,
  }

  it("creates another user, or links and verifies the address if the provider's verification is trusted", () => {
    for (const isEmailVerified of booleans)
      for (const allowsEmailLinking of booleans)
        expect(describeDecision({ ...facts, isEmailVerified, allowsEmailLinking })).toMatch(
          /^(?:create|link 3, verifies)/,
        )
  })

  it("SEC-15: refuses the sign-in of another account once the holder has verified the address, unless linking is allowed", () => {
    expect(describeDecision({ ...facts, isEmailUserVerified: true })).toBe("refuse")
    const trusted = { emailUser: user("3", VERIFIED), isEmailUserVerified: true, isEmailVerified: true }
    expect(describeDecision({ ...facts, ...trusted })).toBe("refuse")
    expect(describeDecision({ ...facts, ...trusted, allowsEmailLinking: true })).toBe("link 3")
  })
})

it("decideAccount treats a numeric user id as equal to its text", () => {
  const current = { ...user("1"), id: 1 as unknown as string }
  const nothing = {
    isStartedByCurrentUser: true,
    emailUser: null,
    isEmailUserVerified: false,
    isEmailLink: false,
    isEmailVerified: false,
    allowsEmailLinking: false,
  }
  expect(describeDecision({ owner: user("1"), current, ...nothing })).toBe("use 1")
})
