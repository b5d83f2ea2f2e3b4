import type { Start } from "../../support/apps.js"
import type { FaultyProvider } from "../../support/faulty-provider.js"
import { type MailSite, type MailSiteOptions, mailbox, startMailSite } from "./mail.js"
import { named } from "./site.js"

export interface BothOptions extends MailSiteOptions {
  /** Overrides of the first provider. */
  oidc?: object
}

/** Starts a site with OAuth providers and sign-in links. `mail` is its mailbox. */
export async function startMailAndProvider(
  { start, op }: { start: Start; op: FaultyProvider },
  options: BothOptions = {},
): Promise<MailSite> {
  const mail = mailbox(options.mail)
  const providers = [op.oidc(options.oidc), named(op.oidc(), "second"), op.oauth(), mail.provider]
  const site = await startMailSite(start, { ...options, config: { providers, ...options.config } })
  return { ...site, mail }
}
