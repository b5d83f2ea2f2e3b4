import { type AccountFacts, decideAccount } from "../../../lib/accounts/decide.js"
import type { AdapterUser } from "../../../lib/adapters/adapter.js"

const user = (id: string, emailVerified: Date | null = null): AdapterUser => ({
  id,
  email: `${id}@x.test`,
  emailVerified,
})
const PROVEN = new Date(0)

/** Every combination of facts, and what the rules say of it, written out once more and in another way. */
const booleans = [false, true]
const table = [null, user("1")].flatMap((owner) =>
  [null, user("1"), user("2")].flatMap((current) =>
    [null, user("3"), user("3", PROVEN)].flatMap((sameEmail) =>
      booleans.flatMap((isEmailVerified) =>
        booleans.flatMap((allowsEmailLinking) =>
          booleans.flatMap((provesEmail) =>
            booleans.map((isBegunByCurrent): [string, AccountFacts, string] => {
              const people = { owner, current, isBegunByCurrent, sameEmail }
              const facts = { ...people, provesEmail, isEmailVerified, allowsEmailLinking }
              return [JSON.stringify(facts), facts, expected(facts)]
            }),
          ),
        ),
      ),
    ),
  ),
)

function expected(facts: AccountFacts): string {
  const { owner, current, sameEmail } = facts
  if (facts.provesEmail) return sameEmail ? "use 3, proved" : "create, proved"
  if (owner && current && owner.id !== current.id) return "refuse"
  if (owner) return "use 1"
  if (current) return facts.isBegunByCurrent ? `link ${current.id}` : "refuse, begun by another"
  if (!sameEmail) return facts.allowsEmailLinking && facts.isEmailVerified ? "create, proved" : "create"
  const proven = facts.isEmailVerified && sameEmail.emailVerified === PROVEN
  return facts.allowsEmailLinking && proven ? "link 3" : "refuse"
}

const told = (facts: AccountFacts) => {
  const decision = decideAccount(facts)
  const whom = "user" in decision ? ` ${decision.user.id}` : ""
  const why = "isBegunByAnother" in decision && decision.isBegunByAnother ? ", begun by another" : ""
  return `${decision.do}${whom}${why}${"proved" in decision && decision.proved ? ", proved" : ""}`
}

it("has a table of all 288 combinations, with every decision in it", () => {
  expect(table).toHaveLength(288)
  expect(new Set(table.map(([, , decision]) => decision))).toEqual(
    new Set([
      ...["use 1", "use 3, proved", "refuse", "refuse, begun by another", "link 1", "link 2", "link 3"],
      ...["create", "create, proved"],
    ]),
  )
})

it.each(table)("with %s%.0s it is: %s", (_name, facts, decision) => {
  expect(told(facts)).toBe(decision)
})

describe("an address never links", () => {
  const linkable = {
    owner: null,
    current: null,
    isBegunByCurrent: false,
    sameEmail: user("3", PROVEN),
    provesEmail: false,
    isEmailVerified: true,
    allowsEmailLinking: true,
  }
  it.each([
    ["unless the application allows it", { allowsEmailLinking: false }],
    ["unless the provider has proved it", { isEmailVerified: false }],
    ["unless it was proved here too", { sameEmail: user("3") }],
  ])("%s", (_name, change) => {
    expect(told(linkable)).toBe("link 3")
    expect(told({ ...linkable, ...change })).toBe("refuse")
  })
})

it("ids that are numbers in the store are the same as their text", () => {
  const current = { ...user("1"), id: 1 as unknown as string }
  const nothing = {
    isBegunByCurrent: true,
    sameEmail: null,
    provesEmail: false,
    isEmailVerified: false,
    allowsEmailLinking: false,
  }
  expect(told({ owner: user("1"), current, ...nothing })).toBe("use 1")
})
