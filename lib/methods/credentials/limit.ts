import type { AuthCall } from "../../http/call.js"
import type { Runtime } from "../../runtime.js"
import { type Limits, limitReached } from "../../security/limits.js"
import { addressBucket } from "../../security/rate-limit.js"
import type { ReadyCredentials } from "./index.js"
import { accountNames, isText } from "./names.js"

/** An attempt that was counted. */
export interface CountedAttempt {
  /** To be called when the credentials were right: the attempt then counts as no failure. */
  onSuccess(): Promise<void>
}

const UNCOUNTED: CountedAttempt = { onSuccess: async () => {} }

/** Did fields come of a form that declares none? */
const hasUndeclaredFields = ({ body }: AuthCall, { inputs }: ReadyCredentials): boolean =>
  Object.keys(inputs).length === 0 && Object.keys(body).some((field) => !["csrfToken", "callbackUrl"].includes(field))

/** The account that `rateLimit.account` returns, or those that the fields name. */
async function accountsFor(call: AuthCall, provider: ReadyCredentials, { config, logger, said }: Runtime) {
  if (config.rateLimit !== false && config.rateLimit.account) {
    const account: unknown = await config.rateLimit.account({ ...call.body })
    return isText(account) && account !== "" ? [String(account)] : []
  }
  const names = accountNames(call.body, provider.inputs)
  if (names.length === 0 && hasUndeclaredFields(call, provider) && said.claim(`credentials-undeclared ${provider.id}`))
    logger.warn(
      "credentials-undeclared",
      `the provider "${provider.id}" declares no fields, and no field that came has a name that identifies an account, so attempts for one account are not limited. List the form's fields as \`credentials\`, or return the account from \`rateLimit.account\`: npx latchkey explain credentials-undeclared has the lines`,
    )
  return names
}

/** Counts a failure of the client and of the site, until the attempt turns out to be none. */
async function countFailure(call: AuthCall, provider: ReadyCredentials, limits: Limits) {
  const wait = await limits.countClient("failuresPerClient", call.clientAddress)
  if (wait !== undefined) throw limitReached("failuresPerClient", wait, { provider: provider.id })
  await limits.countSite("failuresPerSite")
  return async () => {
    await limits.refund("failuresPerClient", addressBucket(call.clientAddress))
    await limits.refund("failuresPerSite", "")
  }
}

/**
 * Counts an attempt, before anything expensive is done: as a failure of the client and of the site, and for one account
 * from one client, so that a stranger elsewhere cannot lock the owner out.
 *
 * @throws TooManyAttempts when a limit is reached
 */
export async function limitAttempts(
  call: AuthCall,
  provider: ReadyCredentials,
  runtime: Runtime,
): Promise<CountedAttempt> {
  const { limits, config } = runtime
  if (!limits) return UNCOUNTED
  const refundFailure = await countFailure(call, provider, limits)
  const accounts = await accountsFor(call, provider, runtime)
  const subjects = accounts.map((account) => [provider.id, addressBucket(call.clientAddress), account] as const)
  for (const subject of subjects) {
    const wait = await limits.count("attempts", ...subject)
    if (wait === undefined) continue
    // No guess was made, so a user who tries again and again does not lock out the rest of an office.
    await refundFailure()
    throw limitReached("attempts", wait, { provider: provider.id })
  }
  // Names that we found ourselves may be of several users: resetting their count would let an attacker buy guesses at
  // another account with the right password of their own.
  const clear = config.rateLimit !== false && config.rateLimit.account ? limits.reset : limits.refund
  return {
    async onSuccess() {
      await refundFailure()
      for (const subject of subjects) await clear("attempts", ...subject)
    },
  }
}
