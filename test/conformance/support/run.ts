import { Browser, type Page } from "../../support/browser.js"
import type { FaultyProvider } from "../../support/faulty-provider.js"
import { FAPI_CLIENT, FAPI_PROVIDER } from "./fapi-provider.js"
import type { Module } from "./module.js"
import type { RelyingParty } from "./relying-party.js"

/** A run of one module: the configured provider and a new application. */
export interface Run {
  readonly module: Module
  readonly op: FaultyProvider
  readonly origin: string
}

/** Configures the provider for the module, and starts a new application. */
export async function beginRun(
  module: Module,
  { op, party }: { readonly op: FaultyProvider; readonly party: RelyingParty },
): Promise<Run> {
  op.requests.length = 0
  op.reset()
  op.set({ ...(module.usesFapi && FAPI_PROVIDER), ...module.mode })
  const provider = op.oidc({
    // The suite detects an accepted id_token by the userinfo request.
    idToken: false,
    ...(module.usesFormPost && { authorization: { params: { response_mode: "form_post" } } }),
    ...(module.client && { client: module.client }),
    apiOrigins: [op.issuer],
    ...(module.usesFapi && FAPI_CLIENT),
    // The suite registers this algorithm.
    ...(module.logout && { logout: true, client: { id_token_signed_response_alg: "RS256" } }),
  })
  return { module, op, origin: await party.serve(provider) }
}

/** Signs in once, or twice if the keys are rotated; returns the last page. */
export async function signIn(run: Run): Promise<{ browser: Browser; page: Page }> {
  const { module, origin } = run
  if (module.rotatesKeys) await visit(run, new Browser({ origin }))
  const browser = new Browser({ origin })
  return { browser, page: await visit(run, browser, module.rotatesKeys) }
}

async function visit(run: Run, browser: Browser, rotatesKeys?: Module["rotatesKeys"]): Promise<Page> {
  const { op, module } = run
  const query = new URLSearchParams(module.asks).toString()
  const started = await browser.post(`/auth/signin/oidc?${query}`, { csrfToken: await browser.csrf() })
  if (new URL(started.location).origin === run.origin) return started
  if (rotatesKeys === "before the authorization") await op.rotateKeys()
  if (module.usesFormPost) return returnByForm(browser, op, started.location)
  const back = await op.authorize(started.location)
  if (rotatesKeys === "before the signature") await op.rotateKeys()
  return browser.get(back, { from: op.issuer })
}

/** Posts the provider's form to the application, which redirects the browser to GET. */
async function returnByForm(browser: Browser, op: FaultyProvider, authorizationUrl: string): Promise<Page> {
  const { action, fields } = await op.authorizeByForm(authorizationUrl)
  const posted = await browser.post(action, fields, { from: op.issuer })
  return browser.get(posted.location, { from: op.issuer })
}
