import type { DoctorContext } from "../../../../lib/cli/doctor/check.js"
import { checkProviderServers } from "../../../../lib/cli/doctor/providers.js"
import { customFetch } from "../../../../lib/index.js"
import { runtimeWithoutEnv } from "../../../../lib/runtime/runtime.js"

const ISSUER = "https://acme.test"

/** Checks an OpenID provider whose metadata has this token endpoint. */
function checkWith(tokenEndpoint: string, allowInsecure: boolean) {
  const responses: Readonly<Record<string, object>> = {
    "/.well-known/openid-configuration": {
      issuer: ISSUER,
      authorization_endpoint: `${ISSUER}/authorize`,
      token_endpoint: tokenEndpoint,
      jwks_uri: `${ISSUER}/keys`,
    },
    "/keys": { keys: [{}] },
  }
  const fetch = async (url: unknown) => Response.json(responses[new URL(String(url)).pathname] ?? {})
  const client = { clientId: "our-client", clientSecret: "our-client-secret", allowInsecure, [customFetch]: fetch }
  const runtime = runtimeWithoutEnv({
    providers: [{ id: "acme", name: "Acme", type: "oidc", issuer: ISSUER, ...client }],
    secret: "a secret for tests alone, of forty-eight letters",
  })
  const context = { runtime, resolved: runtime.config, options: { isOffline: false }, base: "https://app.test/auth" }
  return checkProviderServers(context as unknown as DoctorContext)
}

describe("checkProviderServers", () => {
  it.each([false, true])(
    "reports a token endpoint that is not a URL, with allowInsecure: %s",
    async (allowInsecure) => {
      const found = (await checkWith("/token", allowInsecure)).filter(({ level }) => level !== "ok")
      expect(found).toMatchObject([
        { level: "error", code: "endpoints-missing", seen: "no valid URL for token_endpoint in the metadata" },
        { level: "skipped", code: "client-refused", cause: "its token endpoint is not a URL: /token" },
      ])
    },
  )
})
