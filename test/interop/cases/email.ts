/**
 * Sign-in by a link in a mail.
 *
 * @module
 */
import type { Page } from "../../support/browser.js"
import { type Case, type Stage, type Visitor, watched } from "../support/case.js"
import { AS_SCRIPT, JSON_MODE } from "../support/requests.js"

const ADA = "ada@example.com"
const JWT = { session: { strategy: "jwt" } }
const fail = () => {
  throw new Error("the application's own mistake")
}

/** At once it would end the process of Auth.js: nobody listens yet. */
const rejectLater = () => new Promise((_, reject) => setTimeout(reject, 20, new Error("550 mailbox unavailable")))

interface Options {
  mail?: object
  more?: (stage: Stage) => object
}

/** A store, a mailbox, and callbacks that say how they were called. */
const mailing =
  ({ mail, more = () => ({}) }: Options = {}) =>
  (stage: Stage) => ({
    adapter: stage.store.adapter,
    providers: [stage.mailbox.provider(mail), stage.op.oidc()],
    ...watched(stage),
    ...more(stage),
  })

const signIn = (answer: (params: { email?: unknown }) => unknown) => (stage: Stage) => ({
  callbacks: { ...watched(stage).callbacks, signIn: answer },
})
const atStart = (answer: () => unknown) => signIn(({ email }) => (email ? answer() : true))
const atLink = (answer: () => unknown) => signIn(({ email }) => (email ? true : answer()))

const failingStore = (method: string) => (stage: Stage) => ({
  adapter: { ...stage.store.adapter, [method]: () => Promise.reject(new Error("the store is down")) },
})

const ask = ({ post }: Visitor, email = ADA, more: Record<string, string> = {}, init = {}): Promise<Page> =>
  post("/auth/signin/mail", { email, ...more }, init)

/** Requests another email in the same browser. Within 30 seconds a browser gets one, unless its cookie for that is gone. */
const askAgain = (visitor: Visitor): Promise<Page> => {
  visitor.browser.jar.forget(({ name }) => name === "authjs.state.mail")
  return ask(visitor)
}

/** Opens the newest link in the browser that asked for it, changed on the way where a function is given. */
const open = ({ browser, mailbox }: Visitor, change: (link: URL) => void = () => {}): Promise<Page> => {
  const link = new URL(mailbox.link())
  change(link)
  return browser.get(link.href)
}

/** Asks for a link and opens it. */
const signInByMail = async (visitor: Visitor, email = ADA): Promise<Page> => {
  await ask(visitor, email)
  return open(visitor)
}

/** Somebody whom the store knows. */
const known = ({ store }: Visitor, more: object = {}) =>
  store.users.push({ id: "user-1", email: ADA, emailVerified: null, name: "Ada", ...more })

const start = (name: string, options: Options = {}, run: Case["run"] = (visitor) => ask(visitor)): Case => ({
  name: `email: ${name}`,
  config: mailing(options),
  run,
})
const link = (name: string, options: Options = {}, run: Case["run"] = (visitor) => signInByMail(visitor)): Case => ({
  name: `email: ${name}`,
  config: mailing(options),
  run,
})

const STARTS: Case[] = [
  start("a link is requested"),
  start("a link is requested, over https"),
  start("a known user requests a link", {}, (visitor) => {
    known(visitor)
    return ask(visitor)
  }),
  start("a link is requested, with a callbackUrl", {}, (visitor) => ask(visitor, ADA, { callbackUrl: "/cart?a=1" })),
  start("a link is requested, with a foreign callbackUrl", {}, (visitor) =>
    ask(visitor, ADA, { callbackUrl: "https://evil.test/" }),
  ),
  start("a link is requested, in JSON mode", {}, (visitor) => ask(visitor, ADA, {}, JSON_MODE)),
  start("a link is requested without the token", {}, ({ browser }) =>
    browser.post("/auth/signin/mail", { email: ADA }),
  ),
  start(
    "a link is requested, custom page",
    { more: () => ({ pages: { verifyRequest: "/check" } }) },
    async (visitor) => {
      const page = await ask(visitor)
      return [page, await visitor.get(page.location)]
    },
  ),
  start("the page after the request", {}, async (visitor) => visitor.get((await ask(visitor)).location)),
  start("the sign-in page", {}, ({ get }) => get("/auth/signin?callbackUrl=/cart", {})),
  start("the providers", {}, ({ get }) => get("/auth/providers", AS_SCRIPT)),
  start("two links are requested", {}, async (visitor) => [await ask(visitor), await askAgain(visitor)]),
  start("six links are requested", {}, async (visitor) => {
    const pages = []
    for (let i = 0; i < 6; i++) pages.push(await askAgain(visitor))
    return pages.slice(-1)
  }),
  start("a custom maxAge", { mail: { maxAge: 600 } }),
  start("a custom token", { mail: { generateVerificationToken: () => "own-token" } }),
  start("a custom secret", { mail: { secret: "of-the-mail" } }),
  start("options that override", { mail: { options: { maxAge: 60, from: "x@example.com" } } }),
  start("a custom normalizeIdentifier", { mail: { normalizeIdentifier: (text: string) => text.toUpperCase() } }),
  start("a normalizeIdentifier that throws", { mail: { normalizeIdentifier: fail } }),
  start("signIn returns false", { more: atStart(() => false) }),
  start("signIn throws", { more: atStart(fail) }),
  start("signIn returns a path", { more: atStart(() => "/wrong") }),
  start("signIn returns a foreign URL", { more: atStart(() => "https://evil.test/") }),
  start("the sender throws", { mail: { sendVerificationRequest: fail } }),
  start("the sender rejects", { mail: { sendVerificationRequest: rejectLater } }, (visitor) =>
    ask(visitor, ADA, { callbackUrl: "/cart" }),
  ),
  start("the store cannot store the link", { more: failingStore("createVerificationToken") }),
  start("the store does not find users", { more: failingStore("getUserByEmail") }),
  ...[
    " Ada@Example.COM ",
    "",
    "ada",
    "ada@example.com,bob@example.com",
    "ada,bob@example.com",
    '"bob@evil.test"@example.com',
    "ada@example@example.com",
    "ada@example.com\uff20evil.test",
    "ada@b\u00fccher.example",
    "Ada <ada@example.com>",
    "ada@example.com\r\nBcc: bob@example.com",
    `${"a".repeat(65)}@example.com`,
  ].map((email) => start(`the address ${JSON.stringify(email)}`, {}, (visitor) => ask(visitor, email))),
]

const LINKS: Case[] = [
  link("a new user"),
  link("a new user, over https"),
  link("a new user, sessions in cookies", { more: () => JWT }),
  link("a known user", {}, (visitor) => {
    known(visitor)
    return signInByMail(visitor)
  }),
  link("a known user, sessions in cookies", { more: () => JWT }, (visitor) => {
    known(visitor)
    return signInByMail(visitor)
  }),
  link("a new user, with a callbackUrl", {}, async (visitor) => {
    await ask(visitor, ADA, { callbackUrl: "/cart" })
    return open(visitor)
  }),
  link("a new user, newUser page", { more: () => ({ pages: { newUser: "/welcome" } }) }, async (visitor) => {
    await ask(visitor, ADA, { callbackUrl: "/cart" })
    return open(visitor)
  }),
  link("a known user, newUser page", { more: () => ({ pages: { newUser: "/welcome" } }) }, (visitor) => {
    known(visitor)
    return signInByMail(visitor)
  }),
  link("the session afterwards", {}, async (visitor) => {
    await signInByMail(visitor)
    return visitor.get("/auth/session", AS_SCRIPT)
  }),
  link("signed in as the same user", {}, async (visitor) => {
    await signInByMail(visitor)
    return signInByMail(visitor)
  }),
  link("signed in as another user", {}, async (visitor) => {
    await signInByMail(visitor, "bob@example.com")
    return signInByMail(visitor)
  }),
  link("a known user, signed in as another user", {}, async (visitor) => {
    known(visitor, { id: "user-0" })
    await signInByMail(visitor, "bob@example.com")
    return signInByMail(visitor)
  }),
  link("a new user, signed in as another user, sessions in cookies", { more: () => JWT }, async (visitor) => {
    await signInByMail(visitor, "bob@example.com")
    return signInByMail(visitor)
  }),
  link("a link in another browser", {}, async (visitor) => {
    await ask(visitor)
    visitor.browser.jar.forget()
    return open(visitor)
  }),
  link("a link that is first opened with HEAD", {}, async (visitor) => {
    await ask(visitor)
    return [await visitor.browser.request(visitor.mailbox.link(), { method: "HEAD" }), await open(visitor)]
  }),
  link("a link that is opened twice", {}, async (visitor) => {
    await signInByMail(visitor)
    return open(visitor)
  }),
  link("the first of two links", {}, async (visitor) => {
    await ask(visitor)
    const first = visitor.mailbox.link()
    await askAgain(visitor)
    return visitor.browser.get(first)
  }),
  link("a link without its token", {}, async (visitor) => {
    await ask(visitor)
    return open(visitor, ({ searchParams }) => searchParams.delete("token"))
  }),
  link("a link without its email address", {}, async (visitor) => {
    await ask(visitor)
    return open(visitor, ({ searchParams }) => searchParams.delete("email"))
  }),
  link("a link with another email address", {}, async (visitor) => {
    await ask(visitor)
    return open(visitor, ({ searchParams }) => searchParams.set("email", "bob@example.com"))
  }),
  link("a link with another token", {}, async (visitor) => {
    await ask(visitor)
    return open(visitor, ({ searchParams }) => searchParams.set("token", "wrong"))
  }),
  link("an expired link", {}, async (visitor) => {
    await ask(visitor)
    for (const one of visitor.store.links) one.expires = new Date(Date.now() - 1)
    return open(visitor)
  }),
  link("a link with a foreign callbackUrl", {}, async (visitor) => {
    await ask(visitor)
    return open(visitor, ({ searchParams }) => searchParams.set("callbackUrl", "https://evil.test/"))
  }),
  link("a link with a custom token and secret", {
    mail: { generateVerificationToken: async () => "own-token", secret: "of-the-mail" },
  }),
  link("a link that is posted", {}, async (visitor) => {
    await ask(visitor)
    return visitor.post(visitor.mailbox.link())
  }),
  link("a link that is posted without the CSRF token", {}, async (visitor) => {
    await ask(visitor)
    return visitor.browser.post(visitor.mailbox.link())
  }),
  link("signIn returns false at the link", { more: atLink(() => false) }),
  link("signIn throws at the link", { more: atLink(fail) }),
  link("signIn returns a path at the link", { more: atLink(() => "/wrong") }),
  link("the store fails at the link", { more: failingStore("useVerificationToken") }),
  link("the store can't create users", { more: failingStore("createUser") }),
  link("jwt ends the session", {
    more: (stage) => ({ ...JWT, callbacks: { ...watched(stage).callbacks, jwt: () => null } }),
  }),
  link("a user known by a provider", {}, async (visitor) => {
    visitor.op.set({ user: { sub: "ada", name: "Ada", email: ADA } })
    await visitor.viaProvider("oidc")
    visitor.browser.jar.forget()
    return signInByMail(visitor)
  }),
  link("a provider after the link", {}, async (visitor) => {
    await signInByMail(visitor)
    visitor.browser.jar.forget()
    visitor.op.set({ user: { sub: "ada", name: "Ada", email: ADA } })
    return visitor.viaProvider("oidc")
  }),
]

const overHttps = (one: Case): Case => (one.name.endsWith("over https") ? { ...one, origin: "https://app.test" } : one)

export const EMAIL: Case[] = [...STARTS, ...LINKS].map(overHttps)
