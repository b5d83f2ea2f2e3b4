import { requireSecureUrl } from "../../../../lib/methods/oauth/prepare.js"
import type { OAuthConfig } from "../../../../lib/provider-kit/provider.js"
import type { AuthConfig } from "../../../../lib/types.js"
import { createSite, providerOf } from "./test-site.js"

const AUTHORIZE = "https://acme.test/authorize"

const ready = (provider: object = {}, config: Partial<AuthConfig> = {}) =>
  providerOf(createSite(provider as Partial<OAuthConfig>, config))

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

  it("usesFormPost is true for the response_mode form_post only", () => {
    const posts = (response_mode: string) => ready({ authorization: { url: AUTHORIZE, params: { response_mode } } })
    expect([posts("form_post").usesFormPost, posts("query").usesFormPost]).toEqual([true, false])
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
