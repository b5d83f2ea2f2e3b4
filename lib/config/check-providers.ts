import type { Adapter, AdapterMethod } from "../adapters/adapter.js"
import { configProblem } from "../errors.js"
import { METHODS } from "../methods/index.js"
import type { ProviderObject } from "../providers/provider.js"
import { getUserInfo } from "../security/passkey-user.js"
import { type Check, type Finding, warning } from "./finding.js"
import { kindOf } from "./kind-of.js"
import { idOf } from "./provider-id.js"
import type { ResolvedConfig } from "./resolve.js"

export const checkProviders: Check = (config, resolved) => {
  if (config.providers !== undefined && !Array.isArray(config.providers))
    return [configProblem("providers-invalid", "providers", "is not a list. Write { providers: [GitHub] }")]
  if (resolved.providers.length === 0)
    return [warning("no-providers", "providers is empty: nobody can sign in. Write { providers: [GitHub] }")]
  return resolved.providers.flatMap((provider, index) => checkProvider(provider, `providers[${index}]`, resolved))
}

/** Types of providers that can prove an email address. */
const PROVING_TYPES = ["email", "oauth", "oidc"]

/** Passkeys prove no email address. An own `getUserInfo` may let no strangers sign up. */
export const checkSignUps: Check = (_, { providers }) => {
  const allowsSignUp = (one: ProviderObject) =>
    one.type === "webauthn" && (one.options?.getUserInfo ?? one.getUserInfo) === getUserInfo
  if (!providers.some(allowsSignUp) || providers.some(({ type }) => PROVING_TYPES.includes(type))) return []
  return [
    warning(
      "passkey-addresses-unproved",
      "users can sign up with a passkey and any email address, and no provider can prove that the address is theirs. Add a provider that sends sign-in links",
    ),
  ]
}

/** Factories put what they are given under `options`. */
const isTrusting = (provider: ProviderObject): boolean =>
  Reflect.get({ ...provider, ...provider.options }, "verifyIdToken") === false

/** An id stands in addresses and names variables. */
const PROVIDER_ID = /^[\w.~-]+$/

function seenOf(id: unknown): string {
  if (id === undefined || id === null) return "missing"
  return typeof id === "string" || typeof id === "number" ? JSON.stringify(id) : kindOf(id)
}

function idProblem(id: unknown, path: string): Finding {
  const advice = 'Write letters, digits and "-", { id: "my-company" } for instance: it stands in addresses'
  return configProblem("provider-id-invalid", `${path}.id`, `is ${seenOf(id)}. ${advice}`)
}

function checkProvider(provider: ProviderObject, path: string, resolved: ResolvedConfig): readonly Finding[] {
  const id = idOf(provider)
  const method = METHODS[provider.type]
  if (!method)
    return [
      configProblem(
        "provider-type-unknown",
        path,
        `is of type "${String(provider.type)}", which this version can't do. It does ${Object.keys(METHODS).join(", ")}`,
      ),
    ]
  if (typeof id !== "string" || !PROVIDER_ID.test(id)) return [idProblem(id, path)]
  const twin = resolved.providers.findIndex((other) => idOf(other) === id)
  return [
    ...(resolved.providers[twin] === provider
      ? []
      : [
          configProblem(
            "provider-id-taken",
            `${path}.id`,
            `is "${id}", and so is providers[${twin}].id. Give one of them another: { id: "${id}-2" }`,
          ),
        ]),
    ...method.check(provider, path, resolved),
    ...(isTrusting(provider)
      ? [
          warning(
            "unverified-id-token",
            `${path} (${id}) accepts id_tokens without their signature. Remove verifyIdToken: false`,
          ),
        ]
      : []),
  ]
}

const DATABASE_METHODS: readonly AdapterMethod[] = [
  "createUser",
  "getUser",
  "getUserByEmail",
  "getUserByAccount",
  "updateUser",
  "linkAccount",
  "createSession",
  "getSessionAndUser",
  "updateSession",
  "deleteSession",
]

const has = (adapter: Adapter, method: AdapterMethod) => typeof adapter[method] === "function"

export const checkAdapter: Check = (_, { adapter, session, providers }) => {
  if (!adapter) {
    const mail = providers.findIndex(({ type }) => METHODS[type]?.needs.requiresAdapter)
    if (mail !== -1)
      return [
        configProblem(
          "adapter-missing",
          "adapter",
          `is missing, and providers[${mail}] keeps ${providers[mail]?.type === "webauthn" ? "passkeys" : "links"} in it. Write { adapter: SqlAdapter({ sqlite: "auth.db" }) }`,
        ),
      ]
    if (session.strategy !== "database") return []
    const onlyCredentials = providers.length > 0 && providers.every(({ type }) => type === "credentials")
    return [
      onlyCredentials
        ? configProblem(
            "strategy-unsupported",
            "session.strategy",
            'is "database", and there is no adapter to keep sessions in. Write { strategy: "jwt" }, or give an adapter',
          )
        : configProblem(
            "adapter-missing",
            "adapter",
            'is missing, and session.strategy is "database". Give an adapter, or write { session: { strategy: "jwt" } }',
          ),
    ]
  }
  const needed = new Set(providers.flatMap(({ type }) => METHODS[type]?.needs.adapter ?? []))
  if (session.strategy === "database") for (const name of DATABASE_METHODS) needed.add(name)
  const missing = [...needed].filter((method) => !has(adapter, method))
  if (missing.length === 0) return []
  return [
    configProblem(
      "adapter-methods-missing",
      "adapter",
      `has no ${missing.join(", ")}. Use an adapter that has, or add ${missing.length === 1 ? "it" : "them"}`,
    ),
  ]
}
