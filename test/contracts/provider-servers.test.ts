/**
 * Where a provider's servers are when it is not said in full: the issuer of the environment, the sandbox.
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
import { loadFactory, PROVIDER_FILES } from "./support/factories.js"

const FOLDER = join(__dirname, "../../lib/providers")
const ISSUER = "https://issuer.example.com"

/** The providers that speak of a variable of their own for the issuer. */
const WITH_ISSUER = PROVIDER_FILES.flatMap((file) => {
  const [, variable] = /`(AUTH_\w+_ISSUER)`/.exec(readFileSync(join(FOLDER, `${file}.ts`), "utf8")) ?? []
  return variable ? [[file, variable] as const] : []
})

describe("the issuer of the environment", () => {
  it("is spoken of by many", () => {
    expect(WITH_ISSUER.map(([file]) => file)).toEqual(expect.arrayContaining(["keycloak", "vipps", "mastodon"]))
  })

  it.each(WITH_ISSUER)(
    "%s: %s goes over what the provider says, whether it was given options or not",
    async (file, variable) => {
      const factory = await loadFactory(file)
      process.env[variable] = ISSUER
      try {
        const config: AuthConfig = { providers: [factory, factory({ clientId: "id", clientSecret: "secret" })] }
        setEnvDefaults(process.env, config)
        const issuers = config.providers?.map((provider) => {
          const found: { issuer?: string } = { ...provider, ...("options" in provider && provider.options) }
          return found.issuer
        })
        expect(issuers).toEqual([ISSUER, ISSUER])
      } finally {
        delete process.env[variable]
      }
    },
  )

  it.each(WITH_ISSUER)(
    "%s: is the one of the id that the application gives, whatever %s says of another",
    async (file, variable) => {
      const factory = await loadFactory(file)
      const variables = { [variable]: ISSUER, AUTH_OTHER_ONE_ISSUER: "https://other.example.com" }
      Object.assign(process.env, variables)
      try {
        const other = JSON.stringify(providerWithEnv(factory({ id: "other-one" }), process.env))
        expect(other).toContain("https://other.example.com")
        expect(other).not.toContain(ISSUER)
      } finally {
        for (const name of Object.keys(variables)) delete process.env[name]
      }
    },
  )
})

describe("the issuer of the usual id", () => {
  it.each(WITH_ISSUER)(
    "%s: %s is the whole issuer of a provider with another id, or nothing of it",
    async (file, variable) => {
      const factory = await loadFactory(file)
      process.env[variable] = ISSUER
      try {
        const provider = providerWithEnv(factory({ id: "other-one" }), process.env)
        if (Reflect.get(provider, "issuer") !== ISSUER) expect(JSON.stringify(provider)).not.toContain(ISSUER)
      } finally {
        delete process.env[variable]
      }
    },
  )
})

describe("what else providers are made of", () => {
  it.each([
    ["azure-ad-b2c", "ID"],
    ["descope", "ID"],
    ["tiktok", "ID"],
    ["wechat", "ID"],
    ["fusionauth", "TENANT_ID"],
    ["netsuite", "ACCOUNT_ID"],
    ["workos", "CONNECTION"],
  ])("%s: %s of the environment is the one of the id that the application gives", async (file, name) => {
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

describe("what belongs to one client", () => {
  it.each([
    ["azure-ad-b2c", "ID"],
    ["descope", "ID"],
    ["descope", "ISSUER"],
    ["tiktok", "ID"],
    ["wechat", "ID"],
    ["fusionauth", "TENANT_ID"],
    ["netsuite", "ACCOUNT_ID"],
    ["workos", "CONNECTION"],
  ])("%s: %s of the environment is not that of another id", async (file, name) => {
    const factory = await loadFactory(file)
    const variable = `AUTH_${file.toUpperCase().replaceAll("-", "_")}_${name}`
    process.env[variable] = "https://the-usual-one"
    try {
      const of = (options: object) => JSON.stringify(factory({ issuer: "https://id.example.com", ...options }))
      expect(of({})).toContain("the-usual-one")
      expect(of({ id: "other-one" })).not.toContain("the-usual-one")
    } finally {
      delete process.env[variable]
    }
  })
})

describe("the sandbox", () => {
  it("is PayPal's for every call", () => {
    expect(PayPal({ sandbox: true })).toMatchObject({
      token: "https://api-m.sandbox.paypal.com/v1/oauth2/token",
      userinfo: { url: "https://api-m.sandbox.paypal.com/v1/identity/openidconnect/userinfo?schema=openid" },
    })
  })

  it("is Intuit's for who somebody is", () => {
    expect(Intuit({ sandbox: true })).toMatchObject({
      userinfo: { url: "https://sandbox-accounts.platform.intuit.com/v1/openid_connect/userinfo" },
    })
  })
})
