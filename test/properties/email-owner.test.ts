/**
 * Random histories of two users and one address: the owner, who can verify it, and an attacker, who can't. They sign up,
 * sign in, link and unlink accounts and passkeys, change addresses and sign out, in any order. `OWNER_HISTORIES=20000`
 * sets the number of histories and uses every store.
 */

import { randomUUID } from "node:crypto"
import { predatesVerification } from "../../lib/accounts/current-user.js"
import type { Identity } from "../../lib/accounts/identity.js"
import { completeSignIn } from "../../lib/accounts/sign-in.js"
import type { BuiltInAdapter } from "../../lib/adapters/adapter.js"
import { SignInError } from "../../lib/errors/errors.js"
import type { AuthCall } from "../../lib/http/call.js"
import { toOutgoing } from "../../lib/http/cookies.js"
import { parseRequest } from "../../lib/http/request.js"
import type { ProviderObject } from "../../lib/provider-kit/provider.js"
import Passkey from "../../lib/providers/passkey.js"
import { type Runtime, requireRuntime } from "../../lib/runtime/runtime.js"
import { TEST_SECRET } from "../support/apps.js"
import { fc } from "../support/properties.js"
import { recordingLogger } from "../support/recording-logger.js"
import { describeStores, STORES } from "../support/stores.js"

const NIGHTLY = process.env["OWNER_HISTORIES"]
const HISTORIES = Number(NIGHTLY ?? 1_000)
/** The number of histories after which a store is replaced, because it gets slower as it grows. */
const HISTORIES_OF_STORE = 1_000
const CHOSEN = NIGHTLY ? STORES : STORES.filter(({ name }) => ["memory", "SQLite"].includes(name))

const USERS = ["owner", "attacker"] as const
type Actor = (typeof USERS)[number]

/** "verifying" and "flagged" verify addresses, and "flagged" may also link accounts by address. "silent" does neither. */
const PROVIDERS = ["verifying", "flagged", "silent"] as const

type Step =
  | { readonly by: Actor; readonly do: "passkey"; readonly address: "own" | "shared" }
  | { readonly by: Actor; readonly do: "passkey again" | "sign out" | "change address" | "remove an account" }
  | { readonly by: Actor; readonly do: "link"; readonly isSignedIn: boolean }
  | {
      readonly by: Actor
      readonly do: "provider"
      readonly provider: (typeof PROVIDERS)[number]
      readonly account: 0 | 1
      readonly isSignedIn: boolean
    }

const actor = fc.constantFrom(...USERS)
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    by: actor,
    do: fc.constant("passkey" as const),
    address: fc.constantFrom("own" as const, "shared" as const),
  }),
  fc.record({
    by: actor,
    do: fc.constantFrom(
      "passkey again" as const,
      "sign out" as const,
      "change address" as const,
      "remove an account" as const,
    ),
  }),
  fc.record({ by: actor, do: fc.constant("link" as const), isSignedIn: fc.boolean() }),
  fc.record({
    by: actor,
    do: fc.constant("provider" as const),
    provider: fc.constantFrom(...PROVIDERS),
    account: fc.constantFrom(0 as const, 1 as const),
    isSignedIn: fc.boolean(),
  }),
)

const oidc = (id: string, allowDangerousEmailAccountLinking: boolean): ProviderObject => ({
  ...{ id, name: id, type: "oidc", issuer: "https://id.example", clientId: "a", clientSecret: "b" },
  allowDangerousEmailAccountLinking,
})

const STRATEGIES = ["database", "jwt"] as const

function startRuntime(adapter: BuiltInAdapter, strategy: (typeof STRATEGIES)[number]): Runtime {
  return requireRuntime({
    secret: TEST_SECRET,
    adapter,
    providers: [Passkey, oidc("verifying", false), oidc("flagged", true), oidc("silent", false)],
    session: { strategy },
    experimental: { enableWebAuthn: true },
    logger: recordingLogger().logger,
    trustHost: true,
  })
}

/** One history: the address, and the browsers and sign-in methods of both users. */
class History {
  readonly shared = `ada-${randomUUID()}@example.com`
  /** True once the owner has verified the address by a link. */
  isVerified = false
  /**
   * True once the owner has signed in at a provider that verifies the address. Other sign-ins with the address may then
   * be refused, as after a verification by a link.
   */
  usedVerifyingProvider = false
  readonly #jars = { owner: new Map<string, string>(), attacker: new Map<string, string>() }
  /** The cookies of every session that the attacker has had. */
  readonly #attackerJars: Map<string, string>[] = []
  readonly #keys: Record<Actor, string[]> = { owner: [], attacker: [] }
  readonly #ids = { owner: randomUUID(), attacker: randomUUID() }

  constructor(
    readonly adapter: BuiltInAdapter,
    readonly runtime: Runtime,
  ) {}

  #address(by: Actor): string {
    return by === "owner" ? this.shared : `eve-${this.#ids.attacker}@evil.test`
  }

  async #call(jar: ReadonlyMap<string, string>): Promise<AuthCall> {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ")
    const request = new Request("https://app.test/auth/callback/x", { headers: { cookie } })
    const cookieSet = this.runtime.cookieSetFor("https:")
    return parseRequest(request, { origin: "https://app.test", basePath: "/auth", cookieSet })
  }

  async currentId(jar: ReadonlyMap<string, string>): Promise<string | undefined> {
    return this.runtime.sessions.currentUserId(await this.#call(jar))
  }

  /** Returns the id of the current user, unless the session began before the address was verified. */
  async #changeableId(by: Actor): Promise<string | undefined> {
    const call = await this.#call(this.#jars[by])
    const id = await this.runtime.sessions.currentUserId(call)
    const user = id === undefined ? null : await this.adapter.getUser(id)
    return user && predatesVerification(user, await this.runtime.sessions.verifiedEmail(call)) ? undefined : id
  }

  /** Completes a sign-in in the actor's browser, or in a new one. */
  async #signIn(by: Actor, identity: Identity, isSignedIn: boolean): Promise<void> {
    if (!isSignedIn) this.#jars[by] = new Map()
    const jar = this.#jars[by]
    const call = await this.#call(jar)
    const startedBy = (await this.currentId(jar)) ?? null
    const { reply } = await completeSignIn(identity.isEmailLink ? identity : { ...identity, startedBy }, call, {
      runtime: this.runtime,
      stopConnection: async () => undefined,
    })
    for (const { name, value, options } of toOutgoing(reply.cookies, call.cookieSet))
      if (options.maxAge === 0) jar.delete(name)
      else jar.set(name, value)
    if (by === "attacker") this.#attackerJars.push(new Map(jar))
  }

  async perform(step: Step): Promise<void> {
    const { by } = step
    switch (step.do) {
      case "passkey":
        return this.#createPasskey(by, step.address === "own" ? this.#address(by) : this.shared)
      case "passkey again":
        return this.#signInByPasskey(by)
      case "provider":
        return this.#signIn(by, this.#providerIdentity(by, step.provider, step.account), step.isSignedIn)
      case "link":
        return this.#openLink(by, step.isSignedIn)
      case "sign out":
        await this.runtime.sessions.destroy(await this.#call(this.#jars[by]))
        this.#jars[by].clear()
        return
      case "change address": {
        const id = await this.#changeableId(by)
        // Another user may have the address.
        if (id !== undefined) await Promise.resolve(this.adapter.updateUser({ id, email: this.shared })).catch(() => {})
        return
      }
      case "remove an account": {
        const id = await this.#changeableId(by)
        const [account] = id === undefined ? [] : await this.adapter.listAccountsByUserId(id)
        if (account) await this.adapter.unlinkAccount(account)
      }
    }
  }

  async #createPasskey(by: Actor, email: string): Promise<void> {
    const key = randomUUID()
    const currentId = await this.currentId(this.#jars[by])
    const current = currentId === undefined ? null : await this.adapter.getUser(currentId)
    const user = current ?? { id: randomUUID(), email }
    const account = { provider: "passkey", type: "webauthn", providerAccountId: key } as const
    const rest = {
      credentialPublicKey: "",
      counter: 0,
      credentialBackedUp: false,
      credentialDeviceType: "singleDevice",
    }
    await this.#signIn(by, { user, account, passkey: { ...rest, providerAccountId: key, credentialID: key } }, true)
    this.#keys[by].push(key)
  }

  async #signInByPasskey(by: Actor): Promise<void> {
    const key = this.#keys[by].at(-1)
    const account = { provider: "passkey", type: "webauthn", providerAccountId: key ?? "" } as const
    const user = key && (await this.adapter.getUserByAccount(account))
    if (user) await this.#signIn(by, { user, account }, false)
  }

  #providerIdentity(by: Actor, provider: (typeof PROVIDERS)[number], account: 0 | 1): Identity {
    const isVerified = provider !== "silent"
    return {
      // At a provider that does not verify addresses, the attacker can enter the owner's address.
      user: { id: randomUUID(), email: isVerified ? this.#address(by) : this.shared },
      account: { provider, type: "oidc", providerAccountId: `${this.#ids[by]}-${account}` },
      tokensToStore: () => ({}),
      isEmailVerified: isVerified,
      allowsEmailLinking: provider === "flagged",
    }
  }

  #openLink(by: Actor, isSignedIn: boolean): Promise<void> {
    const email = this.#address(by)
    const account = { provider: "mail", type: "email", providerAccountId: email } as const
    return this.#signIn(by, { user: { id: randomUUID(), email }, account, isEmailLink: true }, isSignedIn)
  }

  /**
   * Returns the ids of all users that the attacker can access, by an earlier session or by signing in again. A jwt
   * session cannot be ended.
   */
  async reachedByAttacker(): Promise<unknown[]> {
    const isEndable = this.runtime.config.session.strategy === "database"
    const bySessions = isEndable ? await Promise.all(this.#attackerJars.map((jar) => this.currentId(jar))) : []
    const accounts = [
      ...this.#keys.attacker.map((providerAccountId) => ({ provider: "passkey", providerAccountId })),
      ...PROVIDERS.flatMap((provider) =>
        [0, 1].map((account) => ({ provider, providerAccountId: `${this.#ids.attacker}-${account}` })),
      ),
    ]
    const users = await Promise.all(accounts.map((account) => this.adapter.getUserByAccount(account)))
    return [...bySessions, ...users.map((user) => user?.id)]
  }
}

const isByOwner = ({ by }: Step): boolean => by === "owner"

/** Returns whether the owner signs in in a browser without another user. */
const isFreshSignInByOwner = (step: Step): boolean =>
  isByOwner(step) && ((step.do === "provider" && !step.isSignedIn) || step.do === "link")

async function run(steps: readonly Step[], adapter: BuiltInAdapter, runtime: Runtime): Promise<void> {
  const history = new History(adapter, runtime)
  for (const step of steps) {
    try {
      await history.perform(step)
    } catch (error) {
      if (!(error instanceof SignInError)) throw error
      // The owner must not be refused before the address is verified.
      if (isFreshSignInByOwner(step) && !history.isVerified && !history.usedVerifyingProvider) throw error
      continue
    }
    if (isByOwner(step) && step.do === "provider" && step.provider !== "silent") history.usedVerifyingProvider = true
    if (isByOwner(step) && step.do === "link") history.isVerified = true
    const owner = await adapter.getUserByEmail(history.shared)
    if (!history.isVerified || !owner?.emailVerified) continue
    expect(await history.reachedByAttacker()).not.toContain(owner.id)
  }
}

describeStores(
  "SEC-12: random histories of an owner and an attacker",
  (kind) => {
    it.each(STRATEGIES)(
      "the attacker has no access once the owner has verified the address, and before that the owner is never refused (property, %s)",
      async (strategy) => {
        for (let left = HISTORIES; left > 0; left -= HISTORIES_OF_STORE) {
          const store = await kind.create()
          const runtime = startRuntime(store.adapter, strategy)
          const property = fc.asyncProperty(fc.array(anyStep, { minLength: 2, maxLength: 10 }), (steps) =>
            run(steps, store.adapter, runtime),
          )
          await fc.assert(property, { numRuns: Math.min(left, HISTORIES_OF_STORE) })
          await store.close()
        }
      },
      60_000 + HISTORIES * 200,
    )
  },
  CHOSEN,
)
