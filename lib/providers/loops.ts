import { type MailUserConfig, mailProvider } from "../provider-kit/send-mail.js"

/** Options of the provider. */
export type LoopsOptions = MailUserConfig & {
  /** The id of a transactional email at Loops that contains the data variable `url`. */
  transactionalId?: string | undefined
}

/**
 * Email links sent with Loops. A template at Loops defines sender, subject and text. If the template contains the data
 * variable `code`, set `emailCode: true`.
 * Console: https://app.loops.so/settings?page=api
 * @see https://loops.so/docs/api-reference/send-transactional-email
 * @example
 * import Loops from "latchkey/providers/loops"
 * app.use(authMiddleware({ providers: [Loops({ transactionalId: "the-id-of-the-template" })], adapter }))
 */
const Loops = mailProvider<LoopsOptions>(
  { id: "loops", name: "Loops", requires: ["apiKey", "transactionalId"], emailCode: false },
  ({ apiKey, to, url, code, provider: { transactionalId } }) => ({
    url: "https://app.loops.so/api/v1/transactional",
    headers: { authorization: `Bearer ${apiKey}` },
    body: { transactionalId, email: to, dataVariables: { url, ...(code && { code }) } },
  }),
)

export default Loops
