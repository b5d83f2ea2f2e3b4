import type { Journal } from "./store.js"

/** The arguments of a sender. */
export interface Sent {
  readonly identifier: string
  readonly url: string
  readonly token: string
  readonly expires: Date
}

/** Records the emails of either package's provider. */
export interface Mailbox {
  readonly sent: Sent[]
  /** The provider, with the id "mail". */
  provider(more?: object): object
  /** The newest link. */
  link(): string
}

export function createMailbox(journal: Journal): Mailbox {
  const sent: Sent[] = []
  return {
    sent,
    provider: (more = {}) => ({
      id: "mail",
      name: "Mail",
      type: "email",
      sendVerificationRequest(params: Sent) {
        journal.push("sendVerificationRequest()")
        sent.push(params)
      },
      ...more,
    }),
    link() {
      const newest = sent.at(-1)
      if (!newest) throw new Error("no email was sent")
      return newest.url
    },
  }
}
