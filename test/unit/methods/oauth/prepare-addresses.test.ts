import { requireCallable } from "../../../../lib/methods/oauth/prepare.js"
import type { OAuthConfig } from "../../../../lib/providers/provider.js"
import type { AuthConfig } from "../../../../lib/types.js"
import { providerOf, settingOf } from "./setting.js"

const AUTHORIZE = "https://acme.test/authorize"

const ready = (provider: object = {}, config: Partial<AuthConfig> = {}) =>
  providerOf(settingOf(provider as Partial<OAuthConfig>, config))

describe("a proxy for the answers", () => {
  const [ofProvider, ofConfig] = ["https://one.test/auth", "https://two.test/auth"]
  it.each<[object, Partial<AuthConfig>, string | undefined]>([
    [{}, { redirectProxyUrl: ofConfig }, ofConfig],
    [{ redirectProxyUrl: ofProvider }, { redirectProxyUrl: ofConfig }, ofProvider],
    [{ redirectProxyUrl: ofProvider }, {}, ofProvider],
    // A posted answer can't be handed on by a redirect.
    [
      { authorization: { url: AUTHORIZE, params: { response_mode: "form_post" } } },
      { redirectProxyUrl: ofConfig },
      undefined,
    ],
  ])("of %j with %j is %s", (provider, config, expected) => {
    expect(ready(provider, config).redirectProxyUrl).toBe(expected)
  })

  it("is not for answers that are posted", () => {
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
])("%s may be called, with allowInsecure %s: %s", (url, allowInsecure, isCallable) => {
  const call = () => requireCallable(url, { allowInsecure })
  if (isCallable) expect(call).not.toThrow()
  else
    expect(call).toThrow(
      expect.objectContaining({
        messageCode: "provider-url-insecure",
        message: `${url} is not https; set allowInsecure: true to use it all the same`,
      }),
    )
})
