/**
 * Sends the same requests to `@auth/express` and to latchkey. The responses are equal except for the differences in
 * `differences.ts`.
 *
 * @module
 */
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { failOnUnhandled } from "../support/unhandled.js"
import { BASICS } from "./cases/basics.js"
import { CALLBACK } from "./cases/callback.js"
import { EMAIL } from "./cases/email.js"
import { discoveryOf, PROVIDERS } from "./cases/providers.js"
import { SESSION } from "./cases/session.js"
import { SIGNIN } from "./cases/signin.js"
import { STORE } from "./cases/store.js"
import { DIFFERENCES, type Difference, explanations } from "./differences.js"
import { EVERYWHERE, EXPECTED } from "./expected.js"
import { type Case, createStage, createVisitor, SECRET, type Stage, startStage } from "./support/case.js"
import { type Context, callFacts, canonical, compare, type Facts, observe } from "./support/observe.js"

failOnUnhandled()

const GROUPS: [string, Case[]][] = [
  ["basics", BASICS],
  ["session", SESSION],
  ["sign-in", SIGNIN],
  ["providers", PROVIDERS],
  ["callback", CALLBACK],
  ["store", STORE],
  // Last, because an email provider changes the state of Auth.js in this process.
  ["email", EMAIL],
]
const CASES = GROUPS.flatMap(([, cases]) => cases)

let op: FaultyProvider
const realFetch = globalThis.fetch
beforeAll(async () => {
  op = await startFaultyProvider()
  // Real providers are replaced by their metadata.
  globalThis.fetch = async (input, init) => {
    const url = input instanceof Request ? input.url : String(input)
    return url.startsWith("https://") ? discoveryOf(url) : realFetch(input, init)
  }
})
afterAll(async () => {
  globalThis.fetch = realFetch
  await op.close()
})

/** Members of an account whose values are random or depend on the time. */
const TOKENS = ["access_token", "id_token", "refresh_token", "expires_at"]

const maskTokens = (account: object): object =>
  Object.fromEntries(Object.entries(account).map(([name, value]) => [name, TOKENS.includes(name) ? "<token>" : value]))

/** Arguments of a sender that only one package passes are compared by name. */
const mailFacts = ({ mailbox: { sent } }: Stage, context: Context): Facts =>
  Object.fromEntries(
    sent.flatMap(({ identifier, url, token, expires, ...more }, i) => [
      [`mail ${i + 1}`, canonical({ identifier, url, token, expires }, context)],
      [`mail ${i + 1} also has`, Object.keys(more).sort().join(", ")],
    ]),
  )

function storeFacts(stage: Stage, context: Context): Facts {
  const { store, journal } = stage
  if (journal.length === 0) return {}
  const { users, accounts, sessions, links } = store
  return {
    ...callFacts(journal),
    ...mailFacts(stage, context),
    ...(links.length > 0 && { links: canonical(links, context) }),
    users: canonical(users, context),
    accounts: canonical(accounts.map(maskTokens), context),
    sessions: canonical(sessions, context),
  }
}

async function observeCase(of: Stage["of"], testCase: Case): Promise<Facts> {
  op.reset()
  const stage = createStage(of, op)
  const site = await startStage(stage, testCase)
  try {
    const pages = [await testCase.run(createVisitor(site, stage))].flat()
    const context = { secrets: testCase.secrets ?? [SECRET], names: [[op.base, "http://op.test"]] as const }
    const facts = await Promise.all(pages.map((page) => observe(page, context)))
    const numbered = facts.flatMap((some, i) =>
      Object.entries(some).map(([name, value]) => [facts.length > 1 ? `${i + 1}. ${name}` : name, value]),
    )
    return { ...Object.fromEntries(numbered), ...storeFacts(stage, context) }
  } finally {
    await site.close()
  }
}

describe.each(GROUPS)("%s", (_, cases) => {
  it.each(cases)("$name", async (testCase) => {
    const authjs = await observeCase("authjs", testCase)
    const latchkey = await observeCase("latchkey", testCase)
    const expected = EXPECTED[testCase.name] ?? []
    const found = Object.entries(compare(authjs, latchkey)).map(([fact, pair]) => {
      const by = explanations(fact, pair).filter((id) => [...EVERYWHERE, ...expected].includes(id))
      return { fact, pair, by }
    })
    // An unexplained fact is a defect, or is missing in the table.
    expect(found.filter(({ by }) => by.length === 0)).toEqual([])
    // An entry that no longer appears is outdated.
    const shown = new Set(found.flatMap(({ by }) => by))
    expect(expected.filter((id) => !shown.has(id))).toEqual([])
  })
})

describe("the table of differences", () => {
  it("has unique case names and no expectation for an unknown case", () => {
    const names = CASES.map(({ name }) => name)
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([])
    expect(Object.keys(EXPECTED).filter((name) => !names.includes(name))).toEqual([])
  })

  it("has a case for every difference that a response shows", () => {
    const used = new Set<string>([...EVERYWHERE, ...Object.values(EXPECTED).flat()])
    const entries: [string, Difference][] = Object.entries(DIFFERENCES)
    expect(entries.filter(([id, { shows }]) => shows && !used.has(id)).map(([id]) => id)).toEqual([])
  })
})
