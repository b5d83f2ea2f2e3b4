/**
 * Applications that use a published adapter, and their users.
 *
 * @module
 */
import { randomBytes } from "node:crypto"
import type { Adapter } from "../../../../lib/adapters/adapter.js"
import { ADAPTER_METHODS } from "../../../../lib/adapters/bind.js"
import type { AuthConfig } from "../../../../lib/types.js"
import { type Mailbox, mailbox } from "../../../flows/support/mail.js"
import { named, type Site, signIn, startSite } from "../../../flows/support/site.js"
import { describeServer, type Start } from "../../../support/apps.js"
import type { Browser, Page } from "../../../support/browser.js"
import { type FaultyProvider, startFaultyProvider } from "../../../support/faulty-provider.js"
import { describePublished } from "./describe.js"
import type { OpenAdapter, Published, Row } from "./published.js"

export type Strategy = "database" | "jwt"

export interface Person {
  readonly sub: string
  readonly name: string
  readonly email: string
}

/** A user that no other test uses. */
export function newPerson(): Person {
  const sub = `p${randomBytes(6).toString("hex")}`
  return { sub, name: `Person ${sub}`, email: `${sub}@example.com` }
}

/** An application, and access to its store. */
export interface Visited extends Site {
  readonly mail: Mailbox
  /** The offset of the application's clock in milliseconds. */
  ahead: number
  /** A new browser with the application's clock. */
  visit(): Browser
  /** Completes a sign-in at the provider; returns the last page. */
  signInAs(person: Person, browser: Browser, id?: "first" | "second"): Promise<Page>
  /** The stored data of a user. */
  readRows(person: Person): Promise<{ users: Row[]; accounts: Row[]; sessions: Row[]; links: Row[] }>
}

export interface VisitedOptions {
  readonly strategy: Strategy
  readonly adapter?: Adapter
  readonly providers?: AuthConfig["providers"]
}

export interface Given {
  readonly published: Published
  /** The store that the tests of this block share. */
  opened(): OpenAdapter
  /** Starts an application that uses the store. Applications with default options are shared. */
  site(options: VisitedOptions): Promise<Visited>
  op(): FaultyProvider
}

/** Describes tests for each adapter with applications on Express. */
export function describeSites(name: string, tests: (given: Given) => void): void {
  let op: FaultyProvider
  beforeAll(async () => {
    op = await startFaultyProvider()
  })
  afterAll(() => op.close())
  describePublished(name, (published, opened) => {
    describeServer("served by", "Express 5", (start) => {
      const shared = new Map<Strategy, Promise<Visited>>()
      const site = async (options: VisitedOptions) => {
        const { strategy, ...special } = options
        const begin = () => startTestSite({ start, op, opened: opened() }, options)
        if (Object.keys(special).length > 0) return begin()
        const found = shared.get(strategy) ?? begin()
        shared.set(strategy, found)
        const known = await found
        known.behave()
        known.forget()
        known.ahead = 0
        return known
      }
      tests({ published, opened, op: () => op, site })
    })
  })
}

interface Context {
  readonly start: Start
  readonly op: FaultyProvider
  readonly opened: OpenAdapter
}

async function startTestSite({ start, op, opened }: Context, options: VisitedOptions): Promise<Visited> {
  const { strategy, adapter = opened.adapter, providers = [] } = options
  const mail = mailbox()
  const time = { ahead: 0 }
  const now = () => Date.now() + time.ahead
  const site = await startSite(
    { start, stage: "Express 5", op },
    {
      sessions: "jwt",
      providers: [named(op.oidc(), "first"), named(op.oidc(), "second"), mail.provider, ...providers],
      config: { adapter, session: { strategy }, clock: now, rateLimit: false },
    },
  )
  return Object.assign(time, site, {
    mail,
    visit: () => site.app.browser({ now }),
    signInAs(person: Person, browser: Browser, id = "first") {
      const auth_time = Math.floor(Date.now() / 1000)
      // Only a recently authenticated user can link another account.
      op.set({ user: { ...person, email_verified: true }, claims: (claims) => ({ ...claims, auth_time }) })
      return signIn(browser, op, { id })
    },
    readRows: (person: Person) => readRows(person, opened),
  })
}

async function readRows({ email }: Person, { kept }: OpenAdapter) {
  const all = await kept()
  const users = all.users.filter((user) => user["email"] === email)
  const ids = users.map(({ id }) => String(id))
  const isTheirs = ({ userId }: Row) => ids.includes(String(userId))
  return {
    users,
    accounts: all.accounts.filter(isTheirs),
    sessions: all.sessions.filter(isTheirs),
    links: all.links.filter(({ identifier }) => identifier === email),
  }
}

/** Wraps an adapter so that the methods named in `broken` fail. */
export function breakable(adapter: Adapter): { adapter: Adapter; broken: Set<string> } {
  const broken = new Set<string>()
  const methods = ADAPTER_METHODS.flatMap((name) => {
    const method: unknown = adapter[name]
    if (typeof method !== "function") return []
    const call = async (...args: unknown[]): Promise<unknown> => {
      if (broken.has(name)) throw new Error(`connection to db.internal lost in ${name}`)
      return method.apply(adapter, args)
    }
    return [[name, call] as const]
  })
  // The same names with functions of the same parameters.
  return { adapter: Object.fromEntries(methods) as Adapter, broken }
}
