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
            booleans.flatMap((isAddressProved) =>
              booleans.map((isBegunByCurrent): [string, AccountFacts, string] => {
                const people = { owner, current, isBegunByCurrent, sameEmail, isAddressProved }
                const facts = { ...people, provesEmail, isEmailVerified, allowsEmailLinking }
                return [JSON.stringify(facts), facts, expected(facts)]
              }),
            ),
          ),
        ),
      ),
    ),
  ),
)

function expected(facts: AccountFacts): string {
  const { owner, current, sameEmail } = facts
  if (facts.provesEmail) return sameEmail ? "use 3, proves" : "create, proved"
  if (owner && current && owner.id !== current.id) return "refuse"
  if (owner) return "use 1"
  if (current) return facts.isBegunByCurrent ? `link ${current.id}` : "refuse, begun by another"
  const isTrusted = facts.allowsEmailLinking && facts.isEmailVerified
  if (!sameEmail) return isTrusted ? "create, proved" : "create"
  if (isTrusted) return sameEmail.emailVerified === PROVEN ? "link 3" : "link 3, proves"
  if (facts.isAddressProved) return "refuse"
  return facts.isEmailVerified ? "create, 3 loses the address" : "create without the address"
}

function described(facts: AccountFacts): string {
  const decision = decideAccount(facts)
  if (decision.do === "refuse") return decision.isBegunByAnother ? "refuse, begun by another" : "refuse"
  if (decision.do === "use")
    return `${decision.links ? "link" : "use"} ${decision.user.id}${decision.proves ? ", proves" : ""}`
  const { holder, proved } = decision
  if (holder) return holder.losesAddress ? `create, ${holder.user.id} loses the address` : "create without the address"
  return proved ? "create, proved" : "create"
}

it("has a table of all 576 combinations, with every decision in it", () => {
  expect(table).toHaveLength(576)
  expect(new Set(table.map(([, , decision]) => decision))).toEqual(
    new Set([
      ...["use 1", "use 3, proves", "refuse", "refuse, begun by another", "link 1", "link 2", "link 3"],
      ...["link 3, proves", "create", "create, proved", "create, 3 loses the address", "create without the address"],
    ]),
  )
})

it.each(table)("with %s%.0s it is: %s", (_name, facts, decision) => {
  expect(described(facts)).toBe(decision)
})

describe("SEC-15: an unproved address", () => {
  const facts = {
    owner: null,
    current: null,
    isBegunByCurrent: false,
    sameEmail: user("3"),
    isAddressProved: false,
    provesEmail: false,
    isEmailVerified: false,
    allowsEmailLinking: false,
  }

  it("never refuses another user, and never gives away its own", () => {
    for (const isEmailVerified of booleans)
      for (const allowsEmailLinking of booleans)
        expect(described({ ...facts, isEmailVerified, allowsEmailLinking })).toMatch(/^(?:create|link 3, proves)/)
  })

  it("blocks and attracts once it is proved", () => {
    expect(described({ ...facts, isAddressProved: true })).toBe("refuse")
    const trusted = { sameEmail: user("3", PROVEN), isAddressProved: true, isEmailVerified: true }
    expect(described({ ...facts, ...trusted })).toBe("refuse")
    expect(described({ ...facts, ...trusted, allowsEmailLinking: true })).toBe("link 3")
  })
})

it("ids that are numbers in the store are the same as their text", () => {
  const current = { ...user("1"), id: 1 as unknown as string }
  const nothing = {
    isBegunByCurrent: true,
    sameEmail: null,
    isAddressProved: false,
    provesEmail: false,
    isEmailVerified: false,
    allowsEmailLinking: false,
  }
  expect(described({ owner: user("1"), current, ...nothing })).toBe("use 1")
})
