import type { AuthCall } from "../../http/call.js"
import type { CredentialInput } from "../../provider-kit/provider.js"
import { createLimitError, type Limits } from "../../security/limits.js"
import { clientNetwork } from "../../security/rate-limit.js"
import type { MethodRuntime } from "../method.js"
import { accountNames, findIdentifierFields, foldText, isScalar } from "../shared/identifying-fields.js"

/** The members of a provider that the limits need. */
interface LimitedProvider {
  readonly id: string
  readonly inputs: Readonly<Record<string, CredentialInput>>
}

/** An attempt that the rate limits have counted. */
export interface CountedAttempt {
  /** Call this if the credentials are correct: it undoes the counting of this attempt. */
  onSuccess(): Promise<void>
}

const UNCOUNTED: CountedAttempt = { onSuccess: async () => {} }

/** True if the provider declares no fields, but the form contains some besides the CSRF token and the return URL. */
const hasUndeclaredFields = ({ body }: AuthCall, { inputs }: LimitedProvider): boolean =>
  Object.keys(inputs).length === 0 && Object.keys(body).some((field) => !["csrfToken", "callbackUrl"].includes(field))

/**
 * Returns the account from `rateLimit.account`. Without this option, returns the accounts that the fields identify.
 * Warns once if the provider declares no fields and no submitted field identifies an account.
 */
async function accountsFor(
  call: AuthCall,
  provider: LimitedProvider,
  { config, logger, warnedOnce }: MethodRuntime,
): Promise<string[]> {
  if (config.rateLimit !== false && config.rateLimit.account) {
    const account: unknown = await config.rateLimit.account({ ...call.body })
    const name = isScalar(account) ? foldText(String(account)) : ""
    return name === "" ? [] : [name]
  }
  if (
    findIdentifierFields(call.body, provider.inputs).length === 0 &&
    hasUndeclaredFields(call, provider) &&
    warnedOnce.addIfAbsent(`credentials-undeclared ${provider.id}`)
  )
    logger.warn(
      "credentials-undeclared",
      `the provider "${provider.id}" declares no fields, and no submitted field has a name that identifies an account, so attempts for one account are not limited. List the form's fields as \`credentials\`, or return the account from \`rateLimit.account\`. For an example, run npx latchkey explain credentials-undeclared`,
    )
  return accountNames(call.body, provider.inputs)
}

/**
 * Counts a failure for the client and the site. Returns a function that undoes both counts.
 *
 * @throws TooManyAttempts if the client's limit is reached
 */
async function countFailure(call: AuthCall, provider: LimitedProvider, limits: Limits) {
  const retryAfterMs = await limits.countClient("failuresPerClient", call.clientAddress)
  if (retryAfterMs !== undefined) throw createLimitError("failuresPerClient", retryAfterMs, { provider: provider.id })
  await limits.countSite("failuresPerSite")
  return async () => {
    await limits.refund("failuresPerClient", clientNetwork(call.clientAddress))
    await limits.refund("failuresPerSite", "")
  }
}

/**
 * Counts an attempt before `authorize` runs: as a failure of the client and of the site, and for each account. Each
 * client has its own count of an account, so that another client cannot lock out the owner.
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
  const limitSubject = (account: string) => [provider.id, clientNetwork(call.clientAddress), account] as const
  for (const account of accounts) {
    const retryAfterMs = await limits.count("attempts", ...limitSubject(account))
    if (retryAfterMs === undefined) continue
    // `authorize` is not called, so the attempt is not a failure of the client, which may be a network of many users.
    await refundFailure()
    throw createLimitError("attempts", retryAfterMs, { provider: provider.id })
  }
  return {
    async onSuccess() {
      await refundFailure()
      // Undoes this attempt only. A reset would also undo attempts of other users whose names are counted together.
      for (const account of accounts) await limits.refund("attempts", ...limitSubject(account))
    },
  }
}
