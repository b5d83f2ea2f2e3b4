import { MemoryAdapter } from "../../../lib/adapters/memory.js"
import Passkey from "../../../lib/providers/passkey.js"
import type { AuthConfig } from "../../../lib/types.js"
import { type RunningApp, type Start, TEST_SECRET } from "../../support/apps.js"
import { type Behaviour, createPasskey, type Passkey as Key, usePasskey } from "../../support/authenticator.js"
import type { Browser, Page } from "../../support/browser.js"
import { type RecordingLogger, recordingLogger } from "../../support/recording-logger.js"

export type PasskeySite = RecordingLogger & {
  readonly app: RunningApp
  readonly adapter: ReturnType<typeof MemoryAdapter>
}

/** Starts an application with passkeys. */
export async function startPasskeySite(start: Start, config: Partial<AuthConfig> = {}): Promise<PasskeySite> {
  const recorder = recordingLogger()
  const adapter = MemoryAdapter()
  const app = await start({
    secret: TEST_SECRET,
    providers: [Passkey],
    adapter,
    logger: recorder.logger,
    experimental: { enableWebAuthn: true },
    ...config,
  })
  return { app, adapter, ...recorder }
}

const START_UP_WARNINGS = ["passkey-addresses-unverified"]

/** Level and code of the log records, without the warnings at start-up. */
export const loggedLevels = (records: RecordingLogger["records"]) =>
  records.filter(({ code }) => !START_UP_WARNINGS.includes(String(code))).map(({ level, code }) => [level, code])

export interface Ceremony {
  readonly action: "authenticate" | "register"
  // biome-ignore lint/suspicious/noExplicitAny: creation options or request options, depending on the action
  readonly options: any
}

/** Requests the options of a ceremony. */
export async function optionsFor(
  browser: Browser,
  query: Readonly<Record<string, string>> = {},
  provider = "passkey",
): Promise<Ceremony & { status: number; error?: string }> {
  const page = await browser.get(`/auth/webauthn-options/${provider}?${new URLSearchParams(query)}`)
  return { status: page.status, ...(await page.json()) }
}

export const finish = (browser: Browser, action: string, credential: unknown, provider = "passkey"): Promise<Page> =>
  browser.post(`/auth/callback/${provider}`, { action, data: JSON.stringify(credential), callbackUrl: "/me" })

/** A passkey of a test. */
export type { Key as PasskeyKey }

/** Registers a passkey for a new user with the address, or for the current user if there is no address. */
export async function register(
  browser: Browser,
  origin: string,
  { email, behaviour = {}, provider }: { email?: string; behaviour?: Partial<Behaviour>; provider?: string } = {},
): Promise<{ passkey: Key; page: Page }> {
  const { options } = await optionsFor(browser, { action: "register", ...(email && { email }) }, provider)
  const { passkey, response } = createPasskey(options, { origin, ...behaviour })
  return { passkey, page: await finish(browser, "register", response, provider) }
}

/** Signs in with a passkey. */
export async function signIn(
  browser: Browser,
  passkey: Key,
  origin: string,
  behaviour: Partial<Behaviour> = {},
): Promise<Page> {
  const { options } = await optionsFor(browser, { action: "authenticate" })
  return finish(browser, "authenticate", usePasskey(passkey, options, { origin, ...behaviour }))
}
