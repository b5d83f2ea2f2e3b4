import type { Adapter, AdapterMethod } from "../adapters/adapter.js"
import { DATABASE_SESSION_METHODS } from "../adapters/bind.js"
import { describeType } from "../base/text.js"
import { configProblem, invalidOption, listProblems } from "../errors/errors.js"
import { METHODS } from "../methods/index.js"
import type { ProviderObject } from "../provider-kit/provider.js"
import { readProviderId } from "./env.js"
import { type Check, type Finding, warning } from "./finding.js"
import type { ResolvedConfig } from "./resolved-config.js"

export const checkProviders: Check = (config, resolved) => {
  if (config.providers !== undefined && !Array.isArray(config.providers))
    return [invalidOption("providers", "is not a list", "Write { providers: [GitHub] }")]
  if (resolved.providers.length === 0)
    return [warning("no-providers", "providers", "is empty, so no user can sign in", "Write { providers: [GitHub] }")]
  return resolved.providers.flatMap((provider, index) => checkProvider(provider, index, resolved))
}

const readNeeds = ({ type }: ProviderObject) => METHODS[type]?.needs

/** Warns if users can sign up with a passkey, and no provider verifies their email addresses. */
export const checkSignUps: Check = (_, { providers }) => {
  const allowsSignUp = (provider: ProviderObject) => readNeeds(provider)?.allowsUnverifiedSignUp?.(provider) === true
  if (!providers.some(allowsSignUp) || providers.some((provider) => readNeeds(provider)?.verifiesEmail)) return []
  return [
    warning(
      "passkey-addresses-unverified",
      "providers",
      "let users sign up with a passkey and any email address, and no provider verifies that the address is theirs",
      "Add a provider that sends sign-in links",
    ),
  ]
}

/**
 * Reads an option of a provider. Factories store the application's options in the member `options`, which overrides the
 * other members of the provider.
 */
const readOption = (provider: ProviderObject, name: string): unknown =>
  Reflect.get({ ...provider, ...provider.options }, name)

/**
 * Checks the option `logout`. It needs recorded sessions, because the id_token that is sent to the provider at a logout
 * is kept in the record of the session.
 */
function checkLogout(provider: ProviderObject, path: string, { store, session }: ResolvedConfig): readonly Finding[] {
  const logout = readOption(provider, "logout")
  if (!logout) return []
  const option = `${path}.logout`
  const seen = `is ${JSON.stringify(logout)}`
  if (readNeeds(provider)?.supportsLogout?.(provider) !== true)
    return [invalidOption(option, `${seen}, but only OpenID Connect providers support it`, "Remove it")]
  if (logout !== true && typeof logout !== "string")
    return [invalidOption(option, seen, "Write true, or the URL of the provider's end_session_endpoint")]
  if (!store)
    return [
      configProblem(
        "store-missing",
        "store",
        `is missing, but ${option} needs it for the id_token of each session`,
        'Write { store: SqlStore({ sqlite: "auth.db" }) }',
      ),
    ]
  if (session.revocable) return []
  const seenRevocable = `is false, but ${option} needs the records of sessions`
  return [invalidOption("session.revocable", seenRevocable, "Remove session.revocable: false")]
}

const keepsTokens = (provider: ProviderObject): boolean =>
  METHODS[provider.type]?.tokens !== undefined && readOption(provider, "keepTokens") !== false

/**
 * Warns if production keeps provider tokens in a store that loses them at a restart. This is not an error, because the
 * application may not need the tokens.
 */
export const checkTokenStore: Check = (_, { store, providers, isProduction }) =>
  !isProduction || !store || store.durable || !providers.some(keepsTokens)
    ? []
    : [
        warning(
          "store-not-durable",
          "store",
          "does not keep its records (durable: false), so a restart deletes the provider tokens of all users",
          "Use SqlStore or RedisStore, or write keepTokens: false in the options of the providers",
        ),
      ]

/** Returns the reason and the fix if the provider's service no longer works; otherwise undefined. */
const readClosedNotice = (provider: ProviderObject) => ("closed" in provider ? provider.closed : undefined)

/** Matches a provider id: characters that need no encoding in a URL (RFC 3986 §2.3), because the id is part of URLs. */
const PROVIDER_ID = /^[\w.~-]+$/

function describeId(id: unknown): string {
  if (id === undefined || id === null) return "missing"
  return typeof id === "string" || typeof id === "number" ? JSON.stringify(id) : describeType(id)
}

function idProblem(id: unknown, path: string): Finding {
  const fix = 'Write letters, digits and "-", for example { id: "my-company" }: the id is part of URLs'
  return invalidOption(`${path}.id`, `is ${describeId(id)}`, fix)
}

function checkProvider(provider: ProviderObject, index: number, resolved: ResolvedConfig): readonly Finding[] {
  const path = `providers[${index}]`
  const id = readProviderId(provider)
  const method = METHODS[provider.type]
  if (!method)
    return [
      invalidOption(
        path,
        `is of type "${String(provider.type)}", which this version does not support`,
        `Use one of ${Object.keys(METHODS).join(", ")}`,
      ),
    ]
  if (typeof id !== "string" || !PROVIDER_ID.test(id)) return [idProblem(id, path)]
  const closed = readClosedNotice(provider)
  const firstIndex = resolved.providers.findIndex((other) => readProviderId(other) === id)
  return listProblems<Finding>(
    firstIndex !== index &&
      configProblem(
        "provider-id-taken",
        `${path}.id`,
        `is "${id}", which is also providers[${firstIndex}].id`,
        `Remove one of them, or change its id: { id: "${id}-2" }`,
      ),
    ...method.check(provider, path, resolved),
    ...checkLogout(provider, path, resolved),
    closed && warning("provider-closed", path, `(${id}) cannot sign users in: ${closed.reason}`, closed.fix),
    readOption(provider, "verifyIdToken") === false &&
      warning(
        "unverified-id-token",
        path,
        `(${id}) accepts id_tokens without checking their signature`,
        "Remove verifyIdToken: false",
      ),
  )
}

const hasMethod = (adapter: Adapter, method: AdapterMethod) => typeof adapter[method] === "function"

export const checkAdapter: Check = (_, { adapter, session, providers }) => {
  if (!adapter) {
    const purposes = providers.map((provider) => readNeeds(provider)?.requiresAdapterFor)
    const index = purposes.findIndex(Boolean)
    if (index !== -1)
      return [
        configProblem(
          "adapter-missing",
          "adapter",
          `is missing, but providers[${index}] stores ${purposes[index]} in it`,
          'Write { adapter: SqlAdapter({ sqlite: "auth.db" }) }',
        ),
      ]
    if (session.strategy !== "database") return []
    const hasExternalUsers =
      providers.length > 0 && providers.every((provider) => readNeeds(provider)?.account === "external")
    return [
      hasExternalUsers
        ? configProblem(
            "strategy-unsupported",
            "session.strategy",
            'is "database", but there is no adapter to store sessions in',
            'Write { session: { strategy: "jwt" } }, or add an adapter',
          )
        : configProblem(
            "adapter-missing",
            "adapter",
            'is missing, but session.strategy is "database"',
            'Add an adapter, or write { session: { strategy: "jwt" } }',
          ),
    ]
  }
  const needed = new Set(providers.flatMap((provider) => readNeeds(provider)?.adapter ?? []))
  if (session.strategy === "database") for (const name of DATABASE_SESSION_METHODS) needed.add(name)
  const missing = [...needed].filter((method) => !hasMethod(adapter, method))
  if (missing.length === 0) return []
  return [
    configProblem(
      "adapter-methods-missing",
      "adapter",
      `has no ${missing.join(", ")}`,
      `Implement ${missing.length === 1 ? "it" : "them"}, or use another adapter`,
    ),
  ]
}
