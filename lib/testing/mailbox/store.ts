import { isSameAddress } from "../../security/email-address.js"

/** A mail that was kept in place of being sent. */
export interface CapturedMail {
  /** Its number: "1" is the first of this mailbox. */
  readonly id: string
  /** The address, as it was normalised for sending. */
  readonly to: string
  /** In the language of the browser that asked. */
  readonly subject: string
  /** For mail programs that show text alone; the link is in it. */
  readonly text: string
  /** For all others: a whole page. */
  readonly html: string
  /** The link that signs in. */
  readonly url: string
  /** By the system's clock, whatever `clock` in the configuration says. */
  readonly sentAt: Date
}

interface Waiting {
  readonly to: string
  readonly give: (mail: CapturedMail) => void
}

/** How many are kept. */
export const KEPT_MAILS = 20

const isSame = (one: string, other: string): boolean => isSameAddress(one.trim(), other.trim())

/** The mails, and who waits for one. */
export class MailStore {
  #mails: readonly CapturedMail[] = []
  #count = 0
  readonly #given = new WeakSet<CapturedMail>()
  readonly #waiting = new Set<Waiting>()

  get all(): readonly CapturedMail[] {
    return this.#mails
  }

  add(given: Omit<CapturedMail, "id" | "sentAt">): void {
    this.#count += 1
    const mail = Object.freeze({ ...given, id: String(this.#count), sentAt: new Date() })
    this.#mails = [mail, ...this.#mails].slice(0, KEPT_MAILS)
    // Who came first gets it.
    const first = [...this.#waiting].find(({ to }) => isSame(to, mail.to))
    first?.give(mail)
  }

  clear(): void {
    this.#mails = []
  }

  /** The newest mail to an address that was not given yet, now or when it comes. */
  async next(to: string, timeoutSeconds: number): Promise<CapturedMail> {
    const mails = this.#mailsTo(to)
    const mail = mails.find((one) => !this.#given.has(one))
    // Older ones have been replaced by the newer.
    for (const one of mails) this.#given.add(one)
    return mail ?? this.#wait(to, timeoutSeconds)
  }

  #mailsTo(to: string): readonly CapturedMail[] {
    return this.#mails.filter((mail) => isSame(mail.to, to))
  }

  #wait(to: string, timeoutSeconds: number): Promise<CapturedMail> {
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer)
        this.#waiting.delete(waiting)
      }
      const give = (mail: CapturedMail) => {
        leave()
        this.#given.add(mail)
        resolve(mail)
      }
      const waiting = { to, give }
      const timer = setTimeout(() => {
        leave()
        reject(new Error(`mailbox: no mail came to ${to} within ${timeoutSeconds} s. ${this.#whatCame(to)}`))
      }, timeoutSeconds * 1000)
      this.#waiting.add(waiting)
    })
  }

  #whatCame(to: string): string {
    if (this.#mailsTo(to).length > 0)
      return "The last one was given to an earlier link(): each is given once, and all are in mails.all"
    const others = [...new Set(this.#mails.map((mail) => mail.to))]
    const seen = others.length > 0 ? `Mails came to ${others.join(", ")}` : "No mail came to anybody"
    return `${seen}. Who is refused by callbacks.signIn, or asks too often, gets none: the log says so`
  }
}
