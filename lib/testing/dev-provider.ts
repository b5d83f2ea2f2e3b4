import { randomBytes } from "node:crypto"
import { DEV_PROVIDER_IN_PRODUCTION } from "../config/dev-provider.js"
import { ConfigurationError, configProblem } from "../errors.js"
import type { OIDCConfig, OIDCUserConfig } from "../providers/provider.js"
import { isOnThisMachine } from "../security/this-machine.js"
import { customFetch, DEV_PROVIDER, fetchOf } from "../symbols.js"
import type { Profile } from "../types.js"
import { Kept } from "./dev-provider/kept.js"
import { SigningKeys } from "./dev-provider/keys.js"
import { Listener } from "./dev-provider/listener.js"
import { Orders } from "./dev-provider/orders.js"
import { DEFAULT_PEOPLE, type DevPerson } from "./dev-provider/people.js"
import { createProviderServer } from "./dev-provider/server.js"
import type { DevAnswer, ProviderState } from "./dev-provider/state.js"

/** What any provider of OpenID Connect takes, and what `devProvider` has beside that. */
export interface DevProviderOptions extends Omit<OIDCUserConfig<Profile>, "issuer" | "wellKnown" | "clientSecret"> {
  /**
   * Where it listens on 127.0.0.1; 0 takes a free port, and then `listen()` has to be waited for.
   * @default 4499, and a free port if another program listens there
   */
  port?: number
  /** Who can sign in, by their `sub`. @default Alice and Bob */
  people?: Readonly<Record<string, DevPerson>>
  /** Addresses that people may be sent back to, beside those of this machine. */
  redirectUris?: readonly string[]
  /** Seconds that the token endpoint takes in the mode "slow". @default 10, two more than latchkey waits */
  slowSeconds?: number
  /** The time in milliseconds since 1970: that of the application, where a test moves it. @default Date.now */
  clock?: () => number
  /** What the application has to show at the token endpoint. @default "dev-secret" */
  clientSecret?: string
}

const DEFAULT_PORT = 4499
const DEFAULT_SLOW_SECONDS = 10

function requireDevelopment(): void {
  if (process.env["NODE_ENV"] === "production")
    throw new ConfigurationError([
      configProblem("dev-provider-in-production", "devProvider()", DEV_PROVIDER_IN_PRODUCTION),
    ])
}

/** The provider that `devProvider` makes. It goes into `providers` as it is. */
export class DevProvider implements OIDCConfig<Profile> {
  readonly type = "oidc"
  readonly id: string
  readonly name: string
  readonly clientId: string
  readonly clientSecret: string
  /** `http://127.0.0.1:4499`; with port 0 not known before `listen()`. */
  declare readonly issuer: string
  readonly options: Omit<Partial<OIDCConfig<Profile>>, "options" | "type">
  readonly [DEV_PROVIDER] = randomBytes(33).toString("base64")
  readonly [customFetch]: typeof fetch
  /** Who can sign in, by their `sub`. It may be changed at any time, and the page adds to it. */
  readonly people: Map<string, DevPerson>
  readonly #orders: Orders
  readonly #keys = new SigningKeys()
  readonly #listener: Listener

  constructor(given: DevProviderOptions) {
    const { port, people, redirectUris: _, slowSeconds: __, clock: ___, ...options } = given
    this.id = options.id ?? "dev"
    this.name = options.name ?? "Development provider"
    this.clientId = options.clientId ?? "dev-client"
    this.clientSecret = options.clientSecret ?? "dev-secret"
    // Without what stands under symbols: the application's own `fetch` would take the place of ours, which calls it.
    this.options = Object.fromEntries(Object.entries(options))
    this.people = new Map(Object.entries(people ?? DEFAULT_PEOPLE).map(([sub, person]) => [sub, { ...person }]))
    this.#orders = new Orders(this.people)
    this.#listener = new Listener({ port: port ?? DEFAULT_PORT, isFlexible: port === undefined }, () =>
      createProviderServer(this.#createState(given)),
    )
    const ownFetch = fetchOf(options)
    // A sign-in begins with the application's asking for the metadata: early enough to begin to listen.
    this[customFetch] = async (input, init) => {
      await this.#listener.listenUnlessClosed()
      return (ownFetch ?? globalThis.fetch)(this.#located(input), init)
    }
    // A member of the object itself, so that a copy has it too.
    Object.defineProperty(this, "issuer", { enumerable: true, get: () => this.#listener.name })
  }

  /**
   * Begins to listen now. Without it that happens at the first sign-in, and a port that is taken is told only then.
   *
   * @throws ConfigurationError with NODE_ENV=production
   * @throws Error when the port is taken
   * @example
   * const dev = await devProvider({ port: 0 }).listen()
   */
  async listen(): Promise<this> {
    requireDevelopment()
    await this.#listener.listen()
    return this
  }

  /**
   * Stops listening and cuts what is under way: from then on the application sees a provider that is down.
   *
   * @example
   * afterAll(() => dev.close())
   */
  close(): Promise<void> {
    return this.#listener.close()
  }

  /**
   * Answers the next sign-in at once, without the page; called twice, the next two.
   *
   * @throws TypeError when there is no such person or mode
   * @example
   * dev.next({ as: "bob" })
   * dev.next({ as: "alice", claims: { email: "new@example.com" } })
   * dev.next({ mode: "deny" })
   */
  next(answer: DevAnswer = {}): void {
    this.#orders.addOnce(answer)
  }

  /**
   * Answers every sign-in at once, without the page, until `ask()`.
   *
   * @throws TypeError when there is no such person or mode
   * @example
   * dev.always({ as: "alice" })
   */
  always(answer: DevAnswer = {}): void {
    this.#orders.setStanding(answer)
  }

  /**
   * Takes back what `next` and `always` ordered: the page asks again.
   *
   * @example
   * afterEach(() => dev.ask())
   */
  ask(): void {
    this.#orders.clear()
  }

  /**
   * Signs with a new key from now on; the old one is published no more.
   *
   * @example
   * await dev.rotateKeys()
   */
  rotateKeys(): Promise<void> {
    return this.#keys.rotate()
  }

  /** The address of a request to the issuer, whose port another program may have. */
  #located(input: string | URL | Request): string | URL | Request {
    const { name, origin } = this.#listener
    const isOurs = !(input instanceof Request) && new URL(input).origin === name
    return isOurs ? String(input).replace(name, origin) : input
  }

  #createState({ redirectUris = [], slowSeconds, clock: now = Date.now }: DevProviderOptions): ProviderState {
    const { clientId, clientSecret, people } = this
    const listener = this.#listener
    return {
      // With port 0 they are known only when the server listens.
      get issuer() {
        return listener.name
      },
      get origin() {
        return listener.origin
      },
      ...{ clientId, clientSecret, people, now, keys: this.#keys },
      ...{ codes: new Kept(now), accessTokens: new Kept(now), refreshTokens: new Kept(now), sessions: new Kept(now) },
      slowSeconds: slowSeconds ?? DEFAULT_SLOW_SECONDS,
      takeAnswer: () => this.#orders.take(),
      isOurs: (address) => isOnThisMachine(address) || redirectUris.includes(address),
    }
  }
}

/**
 * An OpenID provider within this process, for development and for tests: a page where one click signs anybody in, and
 * buttons for what can go wrong. It listens on 127.0.0.1 alone, from the first sign-in on, and keeps no process alive.
 *
 * With it among the providers nothing else has to be configured: where there is no secret, one is made for the time
 * that the process runs.
 *
 * @throws ConfigurationError with NODE_ENV=production
 * @example
 * app.use(authMiddleware({ providers: [devProvider()] }))
 * @example
 * const dev = await devProvider({ port: 0 }).listen() // in tests: a free port
 * app.use(authMiddleware({ providers: [dev] }))
 * dev.next({ as: "alice", mode: "unverified-email" })
 */
export function devProvider(options: DevProviderOptions = {}): DevProvider {
  requireDevelopment()
  return new DevProvider(options)
}
