import { describeType } from "../../base/text.js"
import type { ResolvedConfig } from "../../config/resolved-config.js"
import { type ConfigProblem, configProblem, invalidOption } from "../../errors/errors.js"
import type { EmailConfig } from "../../provider-kit/provider.js"
import { mailOptionProblems, rendersCode } from "../../provider-kit/send-mail.js"
import type { ReadyProvider } from "../method.js"
import { mergeOptions } from "../shared/merge-options.js"
import { createTimingEqualizer, type TimingEqualizer } from "./equalize-timing.js"

/** The default lifetime of a link. */
const DEFAULT_MAX_AGE_SECONDS = 24 * 60 * 60
/** The assumed duration of a rollout, in which other processes still send links with Auth.js. */
const ROLLOUT_SECONDS = 60 * 60
/** The default time limit for sending an email. The user waits during this time. */
const DEFAULT_SEND_TIMEOUT_SECONDS = 8
/** The maximum values in seconds. Larger values are probably in another unit, such as milliseconds. */
const MAX_SECONDS = { maxAge: 10 * 365 * 24 * 60 * 60, sendTimeout: 10 * 60 } as const

export interface ReadyEmail extends ReadyProvider {
  readonly type: "email"
  /** The provider with its options merged, as the application's functions receive it. */
  readonly options: Readonly<EmailConfig>
  readonly maxAgeSeconds: number
  readonly sendTimeoutMs: number
  /** True if the email contains a code besides the link. */
  readonly hasCode: boolean
  /** The first secret hashes new links. Existing links may have been hashed with any of these secrets. */
  readonly secrets: readonly string[]
  /** When the last link that Auth.js sent during a rollout expires, in milliseconds since 1970. */
  readonly authjsHashesUntil: number
  readonly timing: TimingEqualizer
}

const isSeconds = (value: unknown, max: number): boolean =>
  value === undefined || (typeof value === "number" && value > 0 && value <= max)

export function check(provider: EmailConfig, path: string): ConfigProblem[] {
  const options = mergeOptions(provider)
  const problems: ConfigProblem[] = []
  if (typeof options.sendVerificationRequest !== "function")
    problems.push(
      configProblem(
        "provider-option-missing",
        `${path}.sendVerificationRequest`,
        "is missing",
        "Use a provider of latchkey/providers, or write { sendVerificationRequest: async ({ identifier, mail }) => … }",
      ),
    )
  // Recoverable, because only sign-ins by email fail.
  for (const { option, seen, fix } of mailOptionProblems(provider))
    problems.push({ ...configProblem("provider-option-missing", `${path}.${option}`, seen, fix), isRecoverable: true })
  for (const name of ["maxAge", "sendTimeout"] as const)
    if (!isSeconds(options[name], MAX_SECONDS[name]))
      problems.push(
        invalidOption(
          `${path}.${name}`,
          `is ${String(options[name])}`,
          `Write seconds above 0, and at most ${MAX_SECONDS[name]}`,
        ),
      )
  // In JavaScript, the option can have any value.
  const emailCode: unknown = options.emailCode
  if (emailCode !== undefined && typeof emailCode !== "boolean")
    problems.push(invalidOption(`${path}.emailCode`, `is ${describeType(emailCode)}`, "Write true or false"))
  return problems
}

export function prepare(provider: EmailConfig, config: ResolvedConfig): ReadyEmail {
  const options = Object.freeze(mergeOptions(provider))
  const { id, name, secret, maxAge, sendTimeout, emailCode } = options
  // Cookies need whole seconds, timers whole milliseconds.
  const maxAgeSeconds = Math.ceil(maxAge ?? DEFAULT_MAX_AGE_SECONDS)
  return {
    id,
    name,
    type: "email",
    options,
    maxAgeSeconds,
    sendTimeoutMs: Math.ceil((sendTimeout ?? DEFAULT_SEND_TIMEOUT_SECONDS) * 1000),
    hasCode: emailCode ?? rendersCode(options),
    secrets: secret ? [secret] : config.secrets,
    authjsHashesUntil: config.clock() + (maxAgeSeconds + ROLLOUT_SECONDS) * 1000,
    timing: createTimingEqualizer(),
  }
}
