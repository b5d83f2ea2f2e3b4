import { isSameAddress } from "../../security/email-address.js"

/** An email that was stored instead of sent. */
export interface CapturedMail {
  /** The number of the email. The first email of a mailbox has "1". */
  readonly id: string
  /** The normalised address of the recipient. */
  readonly to: string
  /** The subject, in the language of the requesting browser. */
  readonly subject: string
  /** The plain-text part, which contains the link. */
  readonly text: string
  /** The HTML part, a whole page. */
  readonly html: string
  /** The email link. */
  readonly url: string
  /** The code that users can enter instead of opening the link: "CDFH-J479". Undefined with `emailCode: false`. */
  readonly code: string | undefined
  /** When the email was sent, by the system clock and not by `clock` of the configuration. */
  readonly sentAt: Date
}

/** A call that waits for an email. */
interface PendingCall {
  readonly to: string
  readonly resolveWith: (mail: CapturedMail) => void
}

/** The maximum number of stored emails. */
export const MAX_MAILS = 20

const isSameRecipient = (a: string, b: string): boolean => isSameAddress(a.trim(), b.trim())

/** Stores the emails and the pending link() and code() calls. */
export class MailStore {
  #mails: readonly CapturedMail[] = []
  #count = 0
  readonly #returned = new WeakSet<CapturedMail>()
  readonly #pending = new Set<PendingCall>()

  get all(): readonly CapturedMail[] {
    return this.#mails
  }

  add(content: Omit<CapturedMail, "id" | "sentAt">): void {
    this.#count += 1
    const mail = Object.freeze({ ...content, id: String(this.#count), sentAt: new Date() })
    this.#mails = [mail, ...this.#mails].slice(0, MAX_MAILS)
    const firstCall = [...this.#pending].find(({ to }) => isSameRecipient(to, mail.to))
    firstCall?.resolveWith(mail)
  }

  clear(): void {
    this.#mails = []
  }

  /** Returns the newest email to an address, or waits for the next email if this email was returned before. */
  async next(to: string, timeoutSeconds: number): Promise<CapturedMail> {
    const emails = this.#mailsTo(to)
    const newest = emails.find((mail) => !this.#returned.has(mail))
    // Older emails are not returned any more, because a newer link invalidates the older links.
    for (const mail of emails) this.#returned.add(mail)
    return newest ?? this.#waitFor(to, timeoutSeconds)
  }

  #mailsTo(to: string): readonly CapturedMail[] {
    return this.#mails.filter((mail) => isSameRecipient(mail.to, to))
  }

  #waitFor(to: string, timeoutSeconds: number): Promise<CapturedMail> {
    return new Promise((resolve, reject) => {
      const cleanUp = () => {
        clearTimeout(timer)
        this.#pending.delete(call)
      }
      const resolveWith = (mail: CapturedMail) => {
        cleanUp()
        this.#returned.add(mail)
        resolve(mail)
      }
      const call = { to, resolveWith }
      const timer = setTimeout(() => {
        cleanUp()
        reject(
          new Error(`mailbox: no email to ${to} arrived within ${timeoutSeconds} s. ${this.#describeReceived(to)}`),
        )
      }, timeoutSeconds * 1000)
      this.#pending.add(call)
    })
  }

  #describeReceived(to: string): string {
    if (this.#mailsTo(to).length > 0)
      return "The last email was already returned by link() or code(), which return each email once. `all` has all emails"
    const others = [...new Set(this.#mails.map((mail) => mail.to))]
    const seen = others.length > 0 ? `Emails arrived for ${others.join(", ")}` : "No emails arrived"
    return `${seen}. No email is sent if the same browser requested one in the last 30 seconds, if callbacks.signIn rejects the user, or if the rate limit is reached; see the log`
  }
}
