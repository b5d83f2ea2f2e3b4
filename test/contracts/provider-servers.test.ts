/**
 * The URLs of a provider's servers when they depend on the environment or on a sandbox.
 *
 * @module
 */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { providerWithEnv } from "../../lib/config/env.js"
import { setEnvDefaults } from "../../lib/index.js"
import Intuit from "../../lib/providers/intuit.js"
import PayPal from "../../lib/providers/paypal.js"
import type { AuthConfig } from "../../lib/types.js"
import { type Factory, loadFactory } from "./support/factories.js"

const ISSUER = "https://issuer.example.com"

/** The providers whose section in docs/providers.md names an environment variable for the issuer. */
const WITH_ISSUER = readFileSync(join(__dirname, "../../docs/providers.md"), "utf8")
  .split(/^### /m)
  .flatMap((section) => {
    const [, variable] = /^- Environment: .*`(AUTH_\w+_ISSUER)`/m.exec(section) ?? []
    const [, file] = /["`]latchkey\/providers\/([\w-]+)["`]/.exec(section) ?? []
    return variable && file ? [[file, variable] as const] : []
  })

/** Runs a check for each provider with its variable set, and returns the failures by file. */
async function collectFailures(check: (factory: Factory) => void): Promise<object> {
  const failures: Record<string, string> = {}
  for (const [file, variable] of WITH_ISSUER) {
    const factory = await loadFactory(file)
    process.env[variable] = ISSUER
    try {
      check(factory)
    } catch (error) {
      failures[file] = String(error)
    } finally {
      delete process.env[variable]
    }
  }
  return failures
}

describe("AUTH_<ID>_ISSUER", () => {
  it("is documented by every provider whose issuer differs between customers", () => {
    const files = WITH_ISSUER.map(([file]) => file)
    expect(files).toEqual(expect.arrayContaining(["keycloak", "vipps", "mastodon"]))
    expect(files.length).toBeGreaterThan(40)
  })

  it("replaces the provider's own issuer, with and without options", async () => {
    const failures = await collectFailures((factory) => {
      const config: AuthConfig = { providers: [factory, factory({ clientId: "id", clientSecret: "secret" })] }
      setEnvDefaults(process.env, config)
      const issuers = config.providers?.map((provider) => {
        const found: { issuer?: string } = { ...provider, ...("options" in provider && provider.options) }
        return found.issuer
      })
      expect(issuers).toEqual([ISSUER, ISSUER])
    })
    expect(failures).toEqual({})
  })

  it("is read for the id that the application gives", async () => {
    process.env["AUTH_OTHER_ONE_ISSUER"] = "https://other.example.com"
    const failures = await collectFailures((factory) => {
      const other = JSON.stringify(providerWithEnv(factory({ id: "other-one" }), process.env))
      expect(other).toContain("https://other.example.com")
      expect(other).not.toContain(ISSUER)
    })
    delete process.env["AUTH_OTHER_ONE_ISSUER"]
    expect(failures).toEqual({})
  })

  it("of the default id is used in all URLs of a provider with another id, or in none", async () => {
    const failures = await collectFailures((factory) => {
      const provider = providerWithEnv(factory({ id: "other-one" }), process.env)
      if (Reflect.get(provider, "issuer") !== ISSUER) expect(JSON.stringify(provider)).not.toContain(ISSUER)
    })
    expect(failures).toEqual({})
  })
})

describe("other environment variables of a provider", () => {
  it.each([
    ["azure-ad-b2c", "ID"],
    ["descope", "ID"],
    ["tiktok", "ID"],
    ["wechat", "ID"],
    ["fusionauth", "TENANT_ID"],
    ["netsuite", "ACCOUNT_ID"],
    ["workos", "CONNECTION"],
  ])("%s: reads AUTH_<ID>_%s for the id that the application gives", async (file, name) => {
    const factory = await loadFactory(file)
    const variable = `AUTH_OTHER_ONE_${name}`
    process.env[variable] = "the-other-one"
    try {
      expect(JSON.stringify(factory({ id: "another" }))).not.toContain("the-other-one")
      expect(JSON.stringify(factory({ id: "other-one" }))).toContain("the-other-one")
    } finally {
      delete process.env[variable]
    }
  })
})

describe("environment variables that belong to one client", () => {
  it.each([
    ["azure-ad-b2c", "ID"],
    ["descope", "ID"],
    ["descope", "ISSUER"],
    ["tiktok", "ID"],
    ["wechat", "ID"],
    ["fusionauth", "TENANT_ID"],
    ["netsuite", "ACCOUNT_ID"],
    ["workos", "CONNECTION"],
  ])("%s: does not use AUTH_<ID>_%s of the default id for another id", async (file, name) => {
    const factory = await loadFactory(file)
    const variable = `AUTH_${file.toUpperCase().replaceAll("-", "_")}_${name}`
    process.env[variable] = "https://the-usual-one"
    try {
      const serialize = (options: object) => JSON.stringify(factory({ issuer: "https://id.example.com", ...options }))
      expect(serialize({})).toContain("the-usual-one")
      expect(serialize({ id: "other-one" })).not.toContain("the-usual-one")
    } finally {
      delete process.env[variable]
    }
  })
})

describe("the sandbox", () => {
  it("is used by PayPal for every call", () => {
    expect(PayPal({ sandbox: true })).toMatchObject({
      token: "https://api-m.sandbox.paypal.com/v1/oauth2/token",
      userinfo: { url: "https://api-m.sandbox.paypal.com/v1/identity/openidconnect/userinfo?schema=openid" },
    })
  })

  it("is used by Intuit for userinfo", () => {
    expect(Intuit({ sandbox: true })).toMatchObject({
      userinfo: { url: "https://sandbox-accounts.platform.intuit.com/v1/openid_connect/userinfo" },
    })
  })
})
