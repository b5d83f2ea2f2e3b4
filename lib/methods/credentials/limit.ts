import type { AuthCall } from "../../http/call.js"
import type { Runtime } from "../../runtime.js"
import { type Limits, limitReached } from "../../security/limits.js"
import { addressBucket } from "../../security/rate-limit.js"
import type { ReadyCredentials } from "./index.js"
import { accountNames, foldText, isText } from "./names.js"

/** An attempt that was counted. */
export interface CountedAttempt {
  /** To be called when the credentials were right: the attempt then counts as no failure. */
  onSuccess(): Promise<void>
}

const UNCOUNTED: CountedAttempt = { onSuccess: async () => {} }

/** Did fields come of a form that declares none? */
const hasUndeclaredFields = ({ body }: AuthCall, { inputs }: ReadyCredentials): boolean =>
  Object.keys(inputs).length === 0 && Object.keys(body).some((field) => !["csrfToken", "callbackUrl"].includes(field))

/** An account that an attempt counts for. */
interface Account {
  readonly name: string
  /** May a right password reset the count? Else it gives back its own point only. */
  readonly isResettable: boolean
}

/**
 * The key that the application returned, in one spelling for capitals, accents and white space. Only an attempt in that
 * very spelling resets its count. All other spellings share a second count: where names are compared exactly, one of
 * them may be another user, whose right password must not buy guesses.
 */
function accountsOfKey(key: string): Account[] {
  const name = foldText(key)
  if (name === "") return []
  if (name === key) return [{ name, isResettable: true }]
  // No folded name has a blank.
  return [name, `other spellings of ${name}`].map((name) => ({ name, isResettable: false }))
}

/** The account that `rateLimit.account` returns, or those that the fields name. */
async function accountsFor(
  call: AuthCall,
  provider: ReadyCredentials,
  { config, logger, said }: Runtime,
): Promise<Account[]> {
  if (config.rateLimit !== false && config.rateLimit.account) {
    const account: unknown = await config.rateLimit.account({ ...call.body })
    return isText(account) ? accountsOfKey(String(account)) : []
  }
  const names = accountNames(call.body, provider.inputs)
  if (names.length === 0 && hasUndeclaredFields(call, provider) && said.claim(`credentials-undeclared ${provider.id}`))
    logger.warn(
      "credentials-undeclared",
      `the provider "${provider.id}" declares no fields, and no field that came has a name that identifies an account, so attempts for one account are not limited. List the form's fields as \`credentials\`, or return the account from \`rateLimit.account\`: npx latchkey explain credentials-undeclared has the lines`,
    )
  // They may be of several users.
  return names.map((name) => ({ name, isResettable: false }))
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
  const { limits } = runtime
  if (!limits) return UNCOUNTED
  const refundFailure = await countFailure(call, provider, limits)
  const accounts = await accountsFor(call, provider, runtime)
  const subjectOf = ({ name }: Account) => [provider.id, addressBucket(call.clientAddress), name] as const
  for (const account of accounts) {
    const wait = await limits.count("attempts", ...subjectOf(account))
    if (wait === undefined) continue
    // No guess was made, so a user who tries again and again does not lock out the rest of an office.
    await refundFailure()
    throw limitReached("attempts", wait, { provider: provider.id })
  }
  return {
    async onSuccess() {
      await refundFailure()
      for (const account of accounts) {
        const clear = account.isResettable ? limits.reset : limits.refund
        await clear("attempts", ...subjectOf(account))
      }
    },
  }
}
