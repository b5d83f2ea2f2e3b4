import TheirPasskey from "@auth/core/providers/passkey"
import TheirWebAuthn from "@auth/core/providers/webauthn"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import { authMiddleware } from "../../lib/index.js"
import type { WebAuthnConfig } from "../../lib/provider-kit/provider.js"
import Passkey from "../../lib/providers/passkey.js"
import WebAuthn from "../../lib/providers/webauthn.js"
import type { AuthConfig } from "../../lib/types.js"
import { recordingLogger, TEST_SECRET } from "../support/apps.js"

// biome-ignore lint/suspicious/noExplicitAny: the packages have different types, and only data is compared
type Loose = any

/** The data of a provider, without functions. */
const readData = (provider: object) => JSON.parse(JSON.stringify(provider))

describe.each<[string, (options?: Partial<WebAuthnConfig>) => WebAuthnConfig, Loose]>([
  ["passkey", Passkey, TheirPasskey],
  ["webauthn", WebAuthn, TheirWebAuthn],
])("%s", (_, ours, theirs) => {
  it("equals that of Auth.js", () => {
    const { simpleWebAuthn: __, ...facts } = readData(theirs({}))
    expect(readData(ours())).toEqual(facts)
  })

  it("merges options, but its type cannot be changed", () => {
    const given = { id: "key", name: "Key", type: "oauth", formFields: { nick: { autocomplete: "webauthn" } } }
    const { simpleWebAuthn: __, ...facts } = readData(theirs(given))
    expect(readData(ours(given as Loose))).toEqual(facts)
    expect(ours(given as Loose).type).toBe("webauthn")
  })

  it("shares no mutable object between instances", () => {
    const [first, second] = [ours(), ours()]
    for (const [name, value] of Object.entries(first))
      if (typeof value === "object") expect(value).not.toBe(Reflect.get(second, name))
  })

  it("determines the relying party and the user of a form", async () => {
    const url = new URL("https://app.test:8443/auth/webauthn-options/passkey")
    expect(ours().getRelayingParty({ provider: {}, url }, {})).toEqual({
      id: "app.test",
      name: "app.test:8443",
      origin: "https://app.test:8443",
    })
    const user = { id: "1", email: "ada@example.com", emailVerified: null }
    const adapter = { getUserByEmail: async (email: string) => (email === user.email ? user : null) }
    const ask = (query: object) => ours().getUserInfo({ adapter }, { method: "GET", query })
    expect(await ask({ email: "ada@example.com" })).toEqual({ user, exists: true })
    expect(await ask({ email: "eve@example.com" })).toEqual({ user: { email: "eve@example.com" }, exists: false })
    expect(await ask({})).toBeNull()
  })
})

describe("a configuration with passkeys", () => {
  const start = (more: Partial<AuthConfig>) => () =>
    authMiddleware({
      secret: TEST_SECRET,
      providers: [Passkey],
      adapter: MemoryAdapter(),
      logger: recordingLogger().logger,
      ...more,
    })

  it.each<[string, Partial<AuthConfig>]>([
    ["without enableWebAuthn", {}],
    ["with enableWebAuthn: true", { experimental: { enableWebAuthn: true } }],
    ["with enableWebAuthn: false", { experimental: { enableWebAuthn: false } }],
  ])("starts without a warning %s", (_how, config) => {
    const log = recordingLogger()
    // A link verifies the addresses of users who sign up.
    const mail = { id: "mail", name: "Mail", type: "email", sendVerificationRequest() {} } as const
    expect(start({ providers: [Passkey, mail], logger: log.logger, ...config })).not.toThrow()
    expect(log.records).toEqual([])
  })

  it("accepts the provider of Auth.js", () => {
    expect(start({})).not.toThrow()
    expect(start({ providers: [(TheirPasskey as Loose)({})] })).not.toThrow()
  })

  it.each<[string, Partial<AuthConfig>, string]>([
    ["has no adapter", { adapter: undefined as Loose }, "stores passkeys in it"],
    ["has an adapter without methods for passkeys", { adapter: { getUser: () => null } }, "createAuthenticator"],
    [
      "enables conditional UI for two providers",
      { providers: [Passkey(), WebAuthn()] },
      "Write { enableConditionalUI: false }",
    ],
    [
      "enables conditional UI without a form field",
      { providers: [Passkey({ formFields: {} })] },
      'autocomplete: "username webauthn"',
    ],
    [
      "has a URL instead of a domain",
      { providers: [Passkey({ relayingParty: { id: "https://a.test" } })] },
      "not a domain",
    ],
    [
      "has an invalid version",
      { providers: [Passkey({ simpleWebAuthnBrowserVersion: "vx" as Loose })] },
      "Leave it out",
    ],
    [
      "requests attestation",
      { providers: [Passkey({ registrationOptions: { attestationType: "direct" } })] },
      "Leave it out",
    ],
  ])("that %s is rejected with the fix", (_, config, words) => {
    expect(start(config)).toThrow(words)
  })
})
