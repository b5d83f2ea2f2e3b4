import { mergeProvider } from "../../methods/oauth/endpoint.js"
import type { ReadyOAuth } from "../../methods/oauth/prepare.js"
import type { DoctorContext } from "./context.js"
import { type Check, ok } from "./finding.js"

/** Returns the redirect URI to register: below the site's own address, or below that of the redirect proxy. */
export const redirectUri = (
  { id, redirectProxyUrl }: Pick<ReadyOAuth, "id" | "redirectProxyUrl">,
  { base, resolved }: Pick<DoctorContext, "base" | "resolved">,
): string => `${(redirectProxyUrl ?? resolved.redirectProxyUrl ?? base).replace(/\/$/, "")}/callback/${id}`

/** Lists the redirect URI of each provider. */
export const listRedirectUris: Check = {
  group: "Redirect URIs to register",
  code: "redirect-uri-mismatch",
  run: (at) =>
    at.providers.flatMap((provider) => {
      if (provider.type !== "oauth" && provider.type !== "oidc") return []
      const { id, redirectProxyUrl } = mergeProvider(provider)
      return [ok("redirect-uri-mismatch", id, redirectUri({ id, redirectProxyUrl }, at))]
    }),
}
