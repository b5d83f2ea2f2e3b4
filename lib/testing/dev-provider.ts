import { randomBytes } from "node:crypto"
import { isLoopbackUrl } from "../base/loopback.js"
import type { Profile } from "../base/types.js"
import { devProviderProblem } from "../config/dev-provider.js"
import { ConfigurationError } from "../errors/errors.js"
import type { OIDCConfig, OIDCUserConfig } from "../provider-kit/provider.js"
import { customFetch, DEV_PROVIDER, readCustomFetch } from "../symbols.js"
import { AnswerQueue } from "./dev-provider/answer-queue.js"
import { ExpiringStore } from "./dev-provider/expiring-store.js"
import { SigningKeys } from "./dev-provider/keys.js"
import { Listener } from "./dev-provider/listener.js"
import { createProviderServer } from "./dev-provider/server.js"
import type { DevAnswer, ProviderState } from "./dev-provider/state.js"
import { DEFAULT_USERS, type DevUser } from "./dev-provider/users.js"

/** The options of an OpenID Connect provider and those of `devProvider`. */
export interface DevProviderOptions extends Omit<OIDCUserConfig<Profile>, "issuer" | "wellKnown" | "clientSecret"> {
  /**
   * The port on 127.0.0.1. With 0, a free port is used, and `listen()` must be awaited before `authMiddleware` is called.
   * @default 4499, or a free port if 4499 is in use
   */
  port?: number
  /** The users who can sign in, by `sub`. @default Alice and Bob */
  users?: Readonly<Record<string, DevUser>>
  /** Redirect URIs to accept, in addition to loopback addresses. */
  redirectUris?: readonly string[]
  /** The delay of the token endpoint in the mode "slow", in seconds. @default 10, two more than latchkey's timeout */
  slowSeconds?: number
  /** Returns the time in milliseconds since 1970, for tests that also set the application's clock. @default Date.now */
  clock?: () => number
  /** The client secret that the token endpoint requires. @default "dev-secret" */
  clientSecret?: string
}

const DEFAULT_PORT = 4499
const DEFAULT_SLOW_SECONDS = 10

function requireDevelopment(): void {
  if (process.env["NODE_ENV"] === "production") throw new ConfigurationError([devProviderProblem("devProvider()")])
}

/** The provider that `devProvider` creates, for the option `providers`. */
export class DevProvider implements OIDCConfig<Profile> {
  readonly type = "oidc"
  readonly id: string
  readonly name: string
  readonly clientId: string
  readonly clientSecret: string
  /** By default `http://127.0.0.1:4499`. With port 0 the issuer is unknown before `listen()`, and reading it throws. */
  declare readonly issuer: string
  readonly options: Omit<Partial<OIDCConfig<Profile>>, "options" | "type">
  /** A random secret, for a configuration that sets no secret. */
  readonly [DEV_PROVIDER] = randomBytes(33).toString("base64")
  readonly [customFetch]: typeof fetch
  /** The users, by `sub`. The application can change the map at any time, and the page can add users. */
  readonly users: Map<string, DevUser>
  readonly #answers: AnswerQueue
  readonly #keys = new SigningKeys()
  readonly #listener: Listener

  constructor(devOptions: DevProviderOptions) {
    const { port, users, redirectUris: _, slowSeconds: __, clock: ___, ...options } = devOptions
    this.id = options.id ?? "dev"
    this.name = options.name ?? "Development provider"
    this.clientId = options.clientId ?? "dev-client"
    this.clientSecret = options.clientSecret ?? "dev-secret"
    // `Object.entries` omits members with symbol keys. Otherwise the application's `customFetch` would replace the
    // `customFetch` of this provider, which calls it.
    this.options = Object.fromEntries(Object.entries(options))
    this.users = new Map(Object.entries(users ?? DEFAULT_USERS).map(([sub, user]) => [sub, { ...user }]))
    this.#answers = new AnswerQueue(this.users)
    this.#listener = new Listener({ port: port ?? DEFAULT_PORT, canUseFreePort: port === undefined }, () =>
      createProviderServer(this.#createState(devOptions)),
    )
    const applicationFetch = readCustomFetch(options)
    // The first request of a sign-in, for the metadata, starts the server.
    this[customFetch] = async (input, init) => {
      await this.#listener.listenUnlessClosed()
      return (applicationFetch ?? globalThis.fetch)(this.#toActualUrl(input), init)
    }
    // An own property, so that copies of the object have it too.
    Object.defineProperty(this, "issuer", { enumerable: true, get: () => this.#listener.issuer })
  }

  /**
   * Starts the server now. Without this call, the server starts at the first sign-in, and only then reports that its
   * port is in use.
   *
   * @throws ConfigurationError with NODE_ENV=production
   * @throws Error when the port is in use
   * @example
   * const dev = await devProvider({ port: 0 }).listen()
   */
  async listen(): Promise<this> {
    requireDevelopment()
    await this.#listener.listen()
    return this
  }

  /**
   * Stops listening and closes open connections, so that the provider appears to be down.
   *
   * @example
   * afterAll(() => dev.close())
   */
  close(): Promise<void> {
    return this.#listener.close()
  }

  /**
   * Answers the next sign-in immediately, without the page. Each call answers one sign-in.
   *
   * @throws TypeError when the user or the mode does not exist
   * @example
   * dev.next({ as: "bob" })
   * dev.next({ as: "alice", claims: { email: "new@example.com" } })
   * dev.next({ mode: "deny" })
   */
  next(answer: DevAnswer = {}): void {
    this.#answers.addOnce(answer)
  }

  /**
   * Answers every sign-in immediately, without the page, until `reset()`.
   *
   * @throws TypeError when the user or the mode does not exist
   * @example
   * dev.always({ as: "alice" })
   */
  always(answer: DevAnswer = {}): void {
    this.#answers.setDefault(answer)
  }

  /**
   * Clears the answers set by `next` and `always`, so that the page is shown again.
   *
   * @example
   * afterEach(() => dev.reset())
   */
  reset(): void {
    this.#answers.clear()
  }

  /**
   * Replaces the signing key, and stops publishing the old key.
   *
   * @example
   * await dev.rotateKeys()
   */
  rotateKeys(): Promise<void> {
    return this.#keys.rotate()
  }

  /**
   * Replaces the issuer in a URL with the origin of the server. The two differ if the configured port was in use.
   */
  #toActualUrl(input: string | URL | Request): string | URL | Request {
    const { issuer, origin } = this.#listener
    const isOwn = !(input instanceof Request) && new URL(input).origin === issuer
    return isOwn ? String(input).replace(issuer, origin) : input
  }

  #createState({ redirectUris = [], slowSeconds, clock: now = Date.now }: DevProviderOptions): ProviderState {
    const { clientId, clientSecret, users } = this
    const listener = this.#listener
    return {
      // Getters, because with port 0 these values are unknown until the server listens.
      get issuer() {
        return listener.issuer
      },
      get origin() {
        return listener.origin
      },
      ...{ clientId, clientSecret, users, now, keys: this.#keys },
      ...{
        codes: new ExpiringStore(now),
        accessTokens: new ExpiringStore(now),
        refreshTokens: new ExpiringStore(now),
        sessions: new ExpiringStore(now),
      },
      slowSeconds: slowSeconds ?? DEFAULT_SLOW_SECONDS,
      takeAnswer: () => this.#answers.next(),
      isAllowedRedirect: (address) => isLoopbackUrl(address) || redirectUris.includes(address),
    }
  }
}

/**
 * Creates an OpenID provider within this process, for development and tests. Its page signs in any user with one click
 * and simulates failures. The server listens only on 127.0.0.1, starts with the first sign-in, and does not keep the
 * process alive.
 *
 * No other configuration is required. If no secret is set, one is generated for the lifetime of the process.
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
