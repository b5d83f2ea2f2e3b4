import type { AuthCall } from "../../http/call.js"
import type { CredentialInput } from "../../provider-kit/provider.js"
import { type Limits, limitReached } from "../../security/limits.js"
import { addressBucket } from "../../security/rate-limit.js"
import type { MethodRuntime } from "../method.js"
import { accountNames, foldText, isText } from "../shared/identifying-fields.js"

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

/** Returns the account from `rateLimit.account`, else the accounts that the form fields identify. */
async function accountsFor(
  call: AuthCall,
  provider: LimitedProvider,
  { config, logger, warnedOnce }: MethodRuntime,
): Promise<string[]> {
  if (config.rateLimit !== false && config.rateLimit.account) {
    const account: unknown = await config.rateLimit.account({ ...call.body })
    const name = isText(account) ? foldText(String(account)) : ""
    return name === "" ? [] : [name]
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
  return names
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
  const limitSubject = (account: string) => [provider.id, addressBucket(call.clientAddress), account] as const
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
      // The count is not reset: names that are counted as one may belong to different users.
      for (const account of accounts) await limits.refund("attempts", ...limitSubject(account))
    },
  }
}
