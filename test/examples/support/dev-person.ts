import type { Browser, Page } from "../../support/browser.js"

export interface DevVisit {
  /** The guarded page that is opened. */
  readonly path: string
  /** The person who is chosen at the development provider. */
  readonly as: string
  /** @default "dev" */
  readonly provider?: string
}

/** Opens a guarded page, is sent to the sign-in, and says at the development provider who it is. */
export async function signInAtDevProvider(browser: Browser, visit: DevVisit): Promise<Page> {
  const { path, as, provider = "dev" } = visit
  const signIn = await browser.get(path, { follow: true })
  const question = await browser.submit(browser.form(await signIn.text(), `/signin/${provider}`), {}, { follow: true })
  return browser.submit(browser.form(await question.text(), "/choose"), { person: as }, { follow: true })
}
