import type { AuthCall } from "../../http/call.js"
import type { CredentialInput } from "../../provider-kit/provider.js"
import { type Limits, limitReached } from "../../security/limits.js"
import { addressBucket } from "../../security/rate-limit.js"
import { accountNames, foldText, isText } from "../identifying-fields.js"
import type { MethodRuntime } from "../method.js"

/** The members of a provider that identify an account. */
interface LimitedProvider {
  readonly id: string
  readonly inputs: Readonly<Record<string, CredentialInput>>
}

/** An attempt that was counted. */
export interface CountedAttempt {
  /** Call this if the credentials are correct, so that the attempt does not count as a failure. */
  onSuccess(): Promise<void>
}

const UNCOUNTED: CountedAttempt = { onSuccess: async () => {} }

/** True if the form has fields although the provider declares none. */
const hasUndeclaredFields = ({ body }: AuthCall, { inputs }: LimitedProvider): boolean =>
  Object.keys(inputs).length === 0 && Object.keys(body).some((field) => !["csrfToken", "callbackUrl"].includes(field))

/** An account for which an attempt is counted. */
interface Account {
  readonly name: string
  /** True if a correct password resets the count. Otherwise it refunds one attempt. */
  readonly isResettable: boolean
}

/**
 * Normalises the key that the application returned: case, accents and white space. Only an attempt with the normalised
 * spelling can reset the count. All other spellings share a second count that is not reset: if the application compares
 * names exactly, a spelling may be another user, whose correct password must not reset the count of failed guesses.
 */
function accountsForKey(key: string): Account[] {
  const name = foldText(key)
  if (name === "") return []
  if (name === key) return [{ name, isResettable: true }]
  // A normalised name has no space, so this name is unique.
  return [name, `other spellings of ${name}`].map((name) => ({ name, isResettable: false }))
}

/** Returns the account from `rateLimit.account`, else the accounts that the form fields identify. */
async function accountsFor(
  call: AuthCall,
  provider: LimitedProvider,
  { config, logger, warnedOnce }: MethodRuntime,
): Promise<Account[]> {
  if (config.rateLimit !== false && config.rateLimit.account) {
    const account: unknown = await config.rateLimit.account({ ...call.body })
    return isText(account) ? accountsForKey(String(account)) : []
  }
  const names = accountNames(call.body, provider.inputs)
  if (
    names.length === 0 &&
    hasUndeclaredFields(call, provider) &&
    warnedOnce.addIfAbsent(`credentials-undeclared ${provider.id}`)
  )
    logger.warn(
      "credentials-undeclared",
      `the provider "${provider.id}" declares no fields, and no submitted field has a name that identifies an account, so attempts for one account are not limited. List the form's fields as \`credentials\`, or return the account from \`rateLimit.account\`: npx latchkey explain credentials-undeclared shows the code`,
    )
  // The names may belong to different users.
  return names.map((name) => ({ name, isResettable: false }))
}

/** Counts a failure for the client and the site. Returns a function that refunds both. */
async function countFailure(call: AuthCall, provider: LimitedProvider, limits: Limits) {
  const wait = await limits.countClient("failuresPerClient", call.clientAddress)
  if (wait !== undefined) throw limitReached("failuresPerClient", wait, { provider: provider.id })
  await limits.countSite("failuresPerSite")
  return async () => {
    await limits.refund("failuresPerClient", addressBucket(call.clientAddress))
    await limits.refund("failuresPerSite", "")
  }
}

/**
 * Counts an attempt before `authorize` runs: as a failure of the client and of the site, and per account and client, so
 * that another client cannot lock out the owner.
 *
 * @throws TooManyAttempts if a limit is reached
 */
export async function limitAttempts(
  call: AuthCall,
  provider: LimitedProvider,
  runtime: MethodRuntime,
): Promise<CountedAttempt> {
  const { limits } = runtime
  if (!limits) return UNCOUNTED
  const refundFailure = await countFailure(call, provider, limits)
  const accounts = await accountsFor(call, provider, runtime)
  const limitSubject = ({ name }: Account) => [provider.id, addressBucket(call.clientAddress), name] as const
  for (const account of accounts) {
    const wait = await limits.count("attempts", ...limitSubject(account))
    if (wait === undefined) continue
    // The password is not checked, so repeated attempts for one account do not block other users of the same network.
    await refundFailure()
    throw limitReached("attempts", wait, { provider: provider.id })
  }
  return {
    async onSuccess() {
      await refundFailure()
      for (const account of accounts) {
        const clear = account.isResettable ? limits.reset : limits.refund
        await clear("attempts", ...limitSubject(account))
      }
    },
  }
}
