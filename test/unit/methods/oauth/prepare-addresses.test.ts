import { requireSecureUrl } from "../../../../lib/methods/oauth/prepare.js"
import type { OAuthConfig } from "../../../../lib/provider-kit/provider.js"
import type { AuthConfig } from "../../../../lib/types.js"
import { createSite, providerOf } from "./test-site.js"

const AUTHORIZE = "https://acme.test/authorize"

const ready = (provider: object = {}, config: Partial<AuthConfig> = {}) =>
  providerOf(createSite(provider as Partial<OAuthConfig>, config))

const PROXY = "https://proxy.test/auth"

describe("redirectProxyUrl and usesFormPost of a prepared provider", () => {
  const [ofProvider, ofConfig] = ["https://one.test/auth", "https://two.test/auth"]
  it.each<[object, Partial<AuthConfig>, string | undefined]>([
    [{}, { redirectProxyUrl: ofConfig }, ofConfig],
    [{ redirectProxyUrl: ofProvider }, { redirectProxyUrl: ofConfig }, ofProvider],
    [{ redirectProxyUrl: ofProvider }, {}, ofProvider],
    // A posted response can't be forwarded by a redirect.
    [
      { authorization: { url: AUTHORIZE, params: { response_mode: "form_post" } } },
      { redirectProxyUrl: ofConfig },
      undefined,
    ],
  ])("for the provider %j and the configuration %j redirectProxyUrl is %s", (provider, config, expected) => {
    expect(ready(provider, config).redirectProxyUrl).toBe(expected)
  })

  it.each([
    ["query", false, false],
    ["form_post", true, false],
    ["jwt", false, true],
    ["query.jwt", false, true],
    ["form_post.jwt", true, true],
  ])("the response_mode %s sets usesFormPost to %s and usesJwtResponse to %s", (response_mode, ...expected) => {
    const options = { authorization: { url: AUTHORIZE, params: { response_mode } }, redirectProxyUrl: PROXY }
    const { usesFormPost, usesJwtResponse, redirectProxyUrl } = ready(options)
    expect([usesFormPost, usesJwtResponse]).toEqual(expected)
    // Only plain responses by query can be forwarded.
    expect(redirectProxyUrl).toBe(response_mode === "query" ? PROXY : undefined)
  })
})

it.each([
  ["https://acme.test/x", false, true],
  ["http://acme.test/x", false, false],
  ["http://acme.test/x", true, true],
  ["http://localhost/x", false, true],
  ["ftp://acme.test/x", false, false],
])("requireSecureUrl accepts %s with allowInsecure %s: %s", (url, allowInsecure, isAccepted) => {
  const call = () => requireSecureUrl(url, { allowInsecure })
  if (isAccepted) expect(call).not.toThrow()
  else
    expect(call).toThrow(
      expect.objectContaining({
        messageCode: "provider-url-insecure",
        message: `${url} is not https; set allowInsecure: true to allow it`,
      }),
    )
})
