import { mergeProvider } from "../../methods/oauth/endpoint.js"
import type { ReadyOAuth } from "../../methods/oauth/prepare.js"
import type { Examined } from "./examined.js"
import { type Check, ok } from "./finding.js"

/** The redirect URI to register: below the site's own address, or that of the proxy which several sites share. */
export const redirectUriOf = (
  { id, redirectProxyUrl }: Pick<ReadyOAuth, "id" | "redirectProxyUrl">,
  { base, resolved }: Pick<Examined, "base" | "resolved">,
): string => `${(redirectProxyUrl ?? resolved.redirectProxyUrl ?? base).replace(/\/$/, "")}/callback/${id}`

/** One line to paste for each provider. */
export const listRedirectUris: Check = {
  group: "Redirect URIs to register",
  code: "redirect-uri-mismatch",
  run: (at) =>
    at.providers.flatMap((provider) => {
      if (provider.type !== "oauth" && provider.type !== "oidc") return []
      const { id, redirectProxyUrl } = mergeProvider(provider)
      return [ok("redirect-uri-mismatch", id, redirectUriOf({ id, redirectProxyUrl }, at))]
    }),
}
