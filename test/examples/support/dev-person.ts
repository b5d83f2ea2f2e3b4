import type { Browser, Page } from "../../support/browser.js"

export interface DevSignIn {
  /** The guarded page to open. */
  readonly path: string
  /** The user to choose at the development provider. */
  readonly as: string
  /** @default "dev" */
  readonly provider?: string
}

/** Opens a guarded page, starts the sign-in, and chooses a user at the development provider. */
export async function signInAtDevProvider(browser: Browser, visit: DevSignIn): Promise<Page> {
  const { path, as, provider = "dev" } = visit
  const signIn = await browser.get(path, { follow: true })
  const question = await browser.submit(browser.form(await signIn.text(), `/signin/${provider}`), {}, { follow: true })
  return browser.submit(browser.form(await question.text(), "/choose"), { user: as }, { follow: true })
}
