import type { AdapterUser } from "../../lib/adapters/adapter.js"
import { AccessDenied, AuthError } from "../../lib/errors.js"
import type { AuthConfig } from "../../lib/types.js"
import { describeServer, describeServers, type Start } from "../support/apps.js"
import { type FaultyProvider, startFaultyProvider } from "../support/faulty-provider.js"
import { guardProcess } from "./support/guard.js"
import { askForLink, errorOf, type MailSite, signInByMail, startMailSite } from "./support/mail.js"
import { type BothOptions, startMailAndProvider } from "./support/mail-and-provider.js"
import { sessionCookies, sessionOf, signIn } from "./support/site.js"

guardProcess()

let op: FaultyProvider
beforeAll(async () => {
  op = await startFaultyProvider()
})
beforeEach(() => op.reset())
afterAll(() => op.close())

const ADA = "ada@example.com"
const COOKIE = "authjs.session-token"
const STRATEGIES = ["database", "jwt"] as const

const known = (more: Partial<AdapterUser> = {}): AdapterUser => ({
  ...{ id: "user-0", name: "Ada", email: ADA, emailVerified: null },
  ...more,
})

const startBoth = (start: Start, options?: BothOptions): Promise<MailSite> =>
  startMailAndProvider({ start, op }, options)

const eventsOf = ({ events }: MailSite) => events.map(({ name }) => name).filter((name) => name !== "session")

describeServers("An account with an address alone", (start) => {
  it.each(STRATEGIES)("is created by the first link, and known by the next one (%s)", async (strategy) => {
    const site = await startMailSite(start, { config: { session: { strategy } } })
    const browser = site.browser()
    await signInByMail(site, browser, ADA)
    expect(eventsOf(site)).toEqual(["createUser", "signIn"])
    const [user] = site.store.users.values()
    expect(user).toEqual({ id: "user-1", email: ADA, emailVerified: new Date(site.time.now) })
    expect(await sessionOf(browser)).toMatchObject({ user: { email: ADA } })
    site.forget()
    site.time.now += 60_000
    await signInByMail(site, site.browser(), ADA)
    expect(eventsOf(site)).toEqual(["updateUser", "signIn"])
    expect([...site.store.users.values()]).toEqual([{ ...user, emailVerified: new Date(site.time.now) }])
    // No row of accounts: the address is the user's own.
    expect(site.store.accounts).toEqual([])
  })

  it.each(STRATEGIES)("EML-20: takes the place of another's session, and nothing is merged (%s)", async (strategy) => {
    const site = await startMailSite(start, { config: { session: { strategy } } })
    const browser = site.browser()
    await signInByMail(site, browser, "bob@example.com")
    const before = browser.clone()
    const old = browser.cookie(COOKIE)
    for (const address of [ADA, "bob@example.com", ADA]) {
      await signInByMail(site, browser, address)
      expect(await sessionOf(browser)).toMatchObject({ user: { email: address } })
    }
    expect(browser.cookie(COOKIE)).not.toBe(old)
    expect([...site.store.users.values()].map(({ email }) => email)).toEqual(["bob@example.com", ADA])
    if (strategy === "jwt") return
    expect(site.store.sessions.size).toBe(1)
    expect(await sessionOf(before)).toBeNull()
  })

  it("ADV-17: gets a new session at every sign-in, and one that was planted is worth nothing", async () => {
    const site = await startMailSite(start, { config: { session: { strategy: "database" } } })
    const browser = site.browser()
    await signInByMail(site, browser, ADA)
    const first = browser.clone()
    await signInByMail(site, browser, ADA)
    expect(browser.cookie(COOKIE)).not.toBe(first.cookie(COOKIE))
    expect([await sessionOf(first), site.store.sessions.size]).toEqual([null, 1])
    const victim = site.browser()
    const attacker = site.browser()
    await signInByMail(site, attacker, "eve@example.com")
    victim.setCookie(COOKIE, attacker.cookie(COOKIE) ?? "")
    await signInByMail(site, victim, ADA)
    expect(victim.cookie(COOKIE)).not.toBe(attacker.cookie(COOKIE))
    expect([await sessionOf(attacker), (await sessionOf(victim))?.user?.["email"]]).toEqual([null, ADA])
  })
})

describeServer("An account with an address alone", "Auth()", (start) => {
  /** What is called, in its order: the store's methods, callbacks and events. */
  async function journalOf(strategy: "jwt" | "database", users: AdapterUser[], more: Partial<AuthConfig> = {}) {
    const calls: { name: string; args: unknown }[] = []
    const note = <T extends object>(functions: T, prefix: string): T =>
      Object.fromEntries(
        Object.entries(functions).map(([name, run]) => [
          name,
          (...args: unknown[]) => {
            calls.push({ name: `${prefix}${name}`, args: args.length === 1 ? args[0] : args })
            return run(...args)
          },
        ]),
      ) as T
    const nothing = () => undefined
    const site = await startMailSite(start, {
      isPlain: true,
      over: (adapter) => note(adapter, "store."),
      config: {
        session: { strategy },
        callbacks: note(
          {
            signIn: () => true,
            redirect: ({ url, baseUrl }: { url: string; baseUrl: string }) =>
              url.startsWith("/") ? baseUrl + url : baseUrl,
            jwt: ({ token }: { token: object }) => token,
          },
          "",
        ) as AuthConfig["callbacks"] & object,
        events: note(
          { signIn: nothing, createUser: nothing, updateUser: nothing, linkAccount: nothing, session: nothing },
          "event.",
        ),
        ...more,
      },
    })
    for (const user of users) site.store.users.set(user.id, user)
    const browser = site.browser()
    await askForLink(browser, ADA, { callbackUrl: "/cart" })
    const asking = calls.splice(0)
    const page = await browser.get(site.mail.linkTo(ADA))
    return { site, browser, asking, opening: calls, page }
  }
  const namesOf = (calls: { name: string }[]) => calls.map(({ name }) => name)
  const argsOf = (calls: { name: string; args: unknown }[], name: string) =>
    calls.filter((call) => call.name === name).map(({ args }) => args)

  it.each(STRATEGIES)(
    "asks and tells the application in the contract's order, of somebody new (%s)",
    async (strategy) => {
      const { asking, opening, site } = await journalOf(strategy, [])
      expect(namesOf(asking)).toEqual(["redirect", "store.getUserByEmail", "signIn", "store.createVerificationToken"])
      expect(namesOf(opening)).toEqual([
        ...["redirect", "store.useVerificationToken", "store.getUserByEmail", "signIn"],
        ...["store.createUser", "event.createUser"],
        ...[strategy === "jwt" ? "jwt" : "store.createSession", "event.signIn"],
      ])
      const email = { email: ADA, emailVerified: null }
      const id = expect.stringMatching(/^[\da-f-]{36}$/)
      const [question] = argsOf(asking, "signIn") as { user: { id: string } }[]
      const account = { providerAccountId: ADA, type: "email", provider: "mail" }
      const asked = { user: { id, ...email }, account: { ...account, userId: question?.user.id } }
      expect(question).toEqual({ ...asked, email: { verificationRequest: true } })
      const [second] = argsOf(opening, "signIn") as { user: { id: string } }[]
      expect(second).toEqual({ user: { id, ...email }, account: { ...account, userId: second?.user.id } })
      expect(argsOf(opening, "store.createUser")).toEqual([
        { id: second?.user.id, email: ADA, emailVerified: new Date(site.time.now) },
      ])
      const user = { id: "user-1", email: ADA, emailVerified: new Date(site.time.now) }
      const told = { user, account: { ...account, userId: "user-1" }, isNewUser: true }
      expect(argsOf(opening, "event.createUser")).toEqual([{ user }])
      expect(argsOf(opening, "event.signIn")).toEqual([told])
      if (strategy === "jwt")
        expect(argsOf(opening, "jwt")).toEqual([
          { ...told, token: { name: undefined, email: ADA, picture: undefined, sub: "user-1" }, trigger: "signUp" },
        ])
    },
  )

  it.each(STRATEGIES)(
    "asks and tells the application in the contract's order, of somebody known (%s)",
    async (strategy) => {
      const { asking, opening, site } = await journalOf(strategy, [known({ id: "user-0" })])
      expect(namesOf(asking)).toEqual(["redirect", "store.getUserByEmail", "signIn", "store.createVerificationToken"])
      expect(namesOf(opening)).toEqual([
        ...["redirect", "store.useVerificationToken", "store.getUserByEmail", "signIn"],
        // Another two looks at the first proof: what is attached is removed, and then the proof is stored.
        ...["store.getUserByEmail", "store.getUserByEmail", "store.updateUser", "event.updateUser"],
        ...[strategy === "jwt" ? "jwt" : "store.createSession", "event.signIn"],
      ])
      const account = { providerAccountId: ADA, type: "email", provider: "mail", userId: "user-0" }
      expect(argsOf(asking, "signIn")).toEqual([{ user: known(), account, email: { verificationRequest: true } }])
      expect(argsOf(opening, "signIn")).toEqual([{ user: known(), account }])
      const user = known({ emailVerified: new Date(site.time.now) })
      expect(argsOf(opening, "store.updateUser")).toEqual([
        // The first proof comes with the address that it is of.
        { id: "user-0", email: ADA, emailVerified: user.emailVerified },
      ])
      expect(argsOf(opening, "event.updateUser")).toEqual([{ user }])
      expect(argsOf(opening, "event.signIn")).toEqual([{ user, account, isNewUser: false }])
      if (strategy === "jwt")
        expect(argsOf(opening, "jwt")).toEqual([
          expect.objectContaining({
            user,
            account,
            isNewUser: false,
            trigger: "signIn",
            token: expect.objectContaining({ sub: "user-0" }),
          }),
        ])
    },
  )

  it.each(STRATEGIES)("is led to the page for new users once, with where they wanted to go (%s)", async (strategy) => {
    const site = await startMailSite(start, { config: { session: { strategy }, pages: { newUser: "/welcome?a=1" } } })
    const browser = site.browser()
    await askForLink(browser, ADA, { callbackUrl: "/cart" })
    const first = await browser.get(site.mail.linkTo(ADA))
    expect(first.location).toBe("http://app.test/welcome?a=1&callbackUrl=http%3A%2F%2Fapp.test%2Fcart")
    await askForLink(browser, ADA, { callbackUrl: "/cart" })
    expect((await browser.get(site.mail.linkTo(ADA))).location).toBe("http://app.test/cart")
  })

  it("goes on without a session when the jwt callback gives null, and the event is told", async () => {
    const site = await startMailSite(start, {
      config: { session: { strategy: "jwt" }, callbacks: { jwt: () => null } },
    })
    const browser = site.browser()
    expect((await signInByMail(site, browser, ADA)).location).toBe("http://app.test/")
    expect([sessionCookies(browser), eventsOf(site)]).toEqual([[], ["createUser", "signIn"]])
  })

  describe("of which the application says no", () => {
    const isStart = (params: { email?: unknown }) => params.email !== undefined
    type SignIn = NonNullable<NonNullable<AuthConfig["callbacks"]>["signIn"]>

    it.each<[string, SignIn, "warn" | "error"]>([
      ["gives false", () => false, "warn"],
      [
        "throws",
        () => {
          throw new Error("not today")
        },
        "error",
      ],
      ["rejects", () => Promise.reject(new Error("not today")), "error"],
      [
        "throws an AccessDenied",
        () => {
          throw new AccessDenied("not today")
        },
        "warn",
      ],
    ])(
      "at the start, when signIn %s: no mail, no word to the client, one to the operator",
      async (_name, refuse, level) => {
        const site = await startMailSite(start, {
          config: { callbacks: { signIn: (params) => !isStart(params) || refuse(params) } },
        })
        const browser = site.browser()
        const page = await askForLink(browser, ADA)
        expect(page.location).toBe("http://app.test/auth/verify-request?provider=mail&type=email")
        expect([site.mail.sent, site.store.links, sessionCookies(browser)]).toEqual([[], [], []])
        expect(site.failures()).toMatchObject([{ level, code: "AccessDenied" }])
      },
    )

    it.each<[string, SignIn]>([
      ["gives false", () => false],
      [
        "throws",
        () => {
          throw new Error("not today")
        },
      ],
      [
        "throws an AccessDenied",
        () => {
          throw new AccessDenied("not today")
        },
      ],
    ])("at the link, when signIn %s: nobody is created", async (_name, refuse) => {
      const site = await startMailSite(start, {
        config: { callbacks: { signIn: (params) => isStart(params) || refuse(params) } },
      })
      const browser = site.browser()
      await signInByMail(site, browser, "bob@example.com")
      const page = await signInByMail(site, browser, ADA)
      expect(page.location).toBe("http://app.test/auth/error?error=AccessDenied")
      expect([site.store.users.size, sessionCookies(browser), eventsOf(site)]).toEqual([0, [], []])
      expect(site.failures().map(({ code }) => code)).toEqual(["AccessDenied", "AccessDenied"])
    })

    it("at the link leaves a session of before as it is", async () => {
      let isOpen = true
      const site = await startMailSite(start, {
        config: { callbacks: { signIn: (params) => isStart(params) || isOpen } },
      })
      const browser = site.browser()
      await signInByMail(site, browser, "bob@example.com")
      isOpen = false
      await signInByMail(site, browser, ADA)
      expect(await sessionOf(browser)).toMatchObject({ user: { email: "bob@example.com" } })
    })

    it("in its own words: an error of ours is shown as it says", async () => {
      const site = await startMailSite(start, {
        config: {
          callbacks: {
            signIn: () => {
              throw Object.assign(new AuthError("x"), { type: "Verification" })
            },
          },
        },
      })
      expect(errorOf(await askForLink(site.browser(), ADA))).toBe("Verification")
    })

    it.each([
      ["/wrong", "http://app.test/wrong"],
      ["https://help.example.net/", "http://app.test/"],
    ])("with a place to go, %s, at the start and at the link", async (place, landing) => {
      let at = "start"
      const site = await startMailSite(start, {
        config: { callbacks: { signIn: (params) => (isStart(params) === (at === "start") ? place : true) } },
      })
      const browser = site.browser()
      expect((await askForLink(browser, ADA)).location).toBe(landing)
      expect([site.mail.sent, site.store.links, browser.cookie("authjs.state.mail")]).toEqual([[], [], undefined])
      at = "link"
      expect((await signInByMail(site, browser, ADA)).location).toBe(landing)
      expect([site.store.users.size, sessionCookies(browser), eventsOf(site)]).toEqual([0, [], []])
    })

    it("javascript: is no place to go", async () => {
      const site = await startMailSite(start, {
        config: { callbacks: { signIn: () => "javascript:alert(1)", redirect: ({ url }) => url } },
      })
      expect(errorOf(await askForLink(site.browser(), ADA))).toBe("Configuration")
    })
  })

  it.each([
    ["Ada@Example.COM", "ada@example.com"],
    ["ada@bücher.example", "ada@bücher.example"],
    ["Ada@Bücher.Example", "ada@xn--bcher-kva.example"],
    ["ada@xn--bcher-kva.example", "ada@BÜCHER.example"],
  ])("ACC-07: is one with %s from a provider and %s typed, whichever comes first", async (fromProvider, typed) => {
    for (const order of ["provider first", "mail first"]) {
      const site = await startBoth(start)
      op.set({ user: { sub: "ada", name: "Ada", email: fromProvider } })
      const steps = [
        async () => {
          const browser = site.browser()
          await signIn(browser, op)
          return browser
        },
        async () => {
          const browser = site.browser()
          await askForLink(browser, typed)
          await browser.get(site.mail.sent.at(-1)?.url ?? "")
          expect(await sessionOf(browser)).not.toBeNull()
          return browser
        },
      ]
      for (const step of order === "mail first" ? steps.reverse() : steps) await step()
      expect([order, site.store.users.size]).toEqual([order, 1])
    }
  })

  it("ADV-23: is not handed to an account whose provider says the address is proved, unless the flag says so", async () => {
    for (const [allowDangerousEmailAccountLinking, users] of [
      [false, ["OAuthAccountNotLinked", 0]],
      [true, ["", 1]],
    ] as const) {
      const site = await startBoth(start, { oidc: { allowDangerousEmailAccountLinking } })
      await signInByMail(site, site.browser(), "alice@example.com")
      op.set({ claims: (claims) => ({ ...claims, email: "alice@example.com", email_verified: true }) })
      const page = await signIn(site.browser(), op)
      expect([errorOf(page), site.store.accounts.length]).toEqual(users)
      expect(site.store.users.size).toBe(1)
    }
  })
})
