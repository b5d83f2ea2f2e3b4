import { isSameAddress } from "../../security/email-address.js"

/** An email that was stored instead of sent. */
export interface CapturedMail {
  /** Its number: the first email of this mailbox has "1". */
  readonly id: string
  /** The normalised address. */
  readonly to: string
  /** The subject, in the language of the requesting browser. */
  readonly subject: string
  /** The plain-text part, which contains the link. */
  readonly text: string
  /** The HTML part, a whole page. */
  readonly html: string
  /** The email link. */
  readonly url: string
  /** The code that works instead of the link, such as "CDFH-J479"; undefined with `emailCode: false`. */
  readonly code: string | undefined
  /** The time by the system clock, not by `clock` of the configuration. */
  readonly sentAt: Date
}

interface PendingCall {
  readonly to: string
  readonly resolveWith: (mail: CapturedMail) => void
}

/** The maximum number of stored emails. */
export const MAX_MAILS = 20

const isSame = (first: string, second: string): boolean => isSameAddress(first.trim(), second.trim())

/** Stores the emails and the pending link() and code() calls. */
export class MailStore {
  #mails: readonly CapturedMail[] = []
  #count = 0
  readonly #returned = new WeakSet<CapturedMail>()
  readonly #pending = new Set<PendingCall>()

  get all(): readonly CapturedMail[] {
    return this.#mails
  }

  add(given: Omit<CapturedMail, "id" | "sentAt">): void {
    this.#count += 1
    const mail = Object.freeze({ ...given, id: String(this.#count), sentAt: new Date() })
    this.#mails = [mail, ...this.#mails].slice(0, MAX_MAILS)
    // The first pending call receives it.
    const first = [...this.#pending].find(({ to }) => isSame(to, mail.to))
    first?.resolveWith(mail)
  }

  clear(): void {
    this.#mails = []
  }

  /** Returns the newest unread email to an address, or waits for one. */
  async next(to: string, timeoutSeconds: number): Promise<CapturedMail> {
    const mails = this.#mailsTo(to)
    const mail = mails.find((candidate) => !this.#returned.has(candidate))
    // A newer link invalidates the older ones.
    for (const each of mails) this.#returned.add(each)
    return mail ?? this.#waitFor(to, timeoutSeconds)
  }

  #mailsTo(to: string): readonly CapturedMail[] {
    return this.#mails.filter((mail) => isSame(mail.to, to))
  }

  #waitFor(to: string, timeoutSeconds: number): Promise<CapturedMail> {
    return new Promise((resolve, reject) => {
      const cleanUp = () => {
        clearTimeout(timer)
        this.#pending.delete(waiting)
      }
      const resolveWith = (mail: CapturedMail) => {
        cleanUp()
        this.#returned.add(mail)
        resolve(mail)
      }
      const waiting = { to, resolveWith }
      const timer = setTimeout(() => {
        cleanUp()
        reject(
          new Error(`mailbox: no email to ${to} arrived within ${timeoutSeconds} s. ${this.#describeReceived(to)}`),
        )
      }, timeoutSeconds * 1000)
      this.#pending.add(waiting)
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
