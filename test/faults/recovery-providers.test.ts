import { setTimeout as pause } from "node:timers/promises"
import { MemoryAdapter } from "../../lib/adapters/memory.js"
import Nodemailer from "../../lib/providers/nodemailer.js"
import { readMail, startMailServer } from "../contracts/support/smtp.js"
import { guardProcess } from "../flows/support/guard.js"
import { askForLink, errorOf } from "../flows/support/mail.js"
import { sessionOf } from "../flows/support/site.js"
import { describeServer, recordingLogger, type Start, TEST_SECRET } from "../support/apps.js"
import { type Endpoint, type Fault, startFaultyProvider } from "../support/faulty-provider.js"
import { until } from "../support/wait.js"
import { layCable, type Outage } from "./support/cable.js"
import {
  liveThrough,
  PATIENCE_MS,
  RECOVERY_MS,
  SIGNED_IN,
  type Survived,
  signInAt,
  toldBy,
  usual,
} from "./support/outage.js"

guardProcess()

interface Breakdown {
  readonly endpoint: Endpoint
  readonly fault: Fault
  readonly seconds: number
}

const BREAKDOWNS: readonly Breakdown[] = [
  { endpoint: "discovery", fault: "reset", seconds: 10 },
  { endpoint: "discovery", fault: "hang", seconds: 10 },
  // What is asked for in that second is not answered when all is well again.
  { endpoint: "discovery", fault: "hang", seconds: 1 },
  { endpoint: "jwks", fault: { status: 503 }, seconds: 10 },
  { endpoint: "jwks", fault: "hang", seconds: 1 },
  { endpoint: "token", fault: "reset", seconds: 10 },
  { endpoint: "token", fault: "hang", seconds: 10 },
]

const nameOf = (breakdown: Breakdown) => JSON.stringify(breakdown)

/** An application that has never spoken with its provider, which is down. */
async function atProvider(start: Start, { endpoint, fault, seconds }: Breakdown): Promise<Survived> {
  const op = await startFaultyProvider()
  const app = await start({ providers: [op.oidc()], secret: TEST_SECRET, logger: recordingLogger().logger })
  const survived = await liveThrough({
    lastsMs: seconds * 1_000,
    begin: () => op.set({ fault: { [endpoint]: fault } }),
    async end() {
      // On a busy machine nobody may have come so far yet.
      await until(() => op.count(endpoint) > 0, 20_000)
      op.reset()
    },
    attempt: () => signInAt(op, app.browser()),
  })
  await op.close()
  return survived
}

const linkIn = (raw: string) => /https?:\S+callback\S+/.exec(readMail(raw).parts[0]?.body ?? "")?.[0]

async function atMailServer(start: Start, outage: Outage): Promise<Survived> {
  const server = await startMailServer()
  const cable = await layCable(server.url)
  const provider = Nodemailer({ server: cable.address(server.url), from: "Example <no-reply@example.com>" })
  const { logger } = recordingLogger()
  const adapter = MemoryAdapter()
  const app = await start({
    providers: [{ ...provider, id: "mail" }],
    adapter,
    secret: TEST_SECRET,
    logger,
    rateLimit: false,
  })
  let count = 0
  const survived = await liveThrough({
    lastsMs: 10_000,
    begin: () => cable.cut(outage),
    end: () => cable.mend(),
    async attempt() {
      const address = `person-${count++}@example.com`
      const browser = app.browser()
      const page = await askForLink(browser, address)
      if (page.location === "" || errorOf(page) !== "") return toldBy(page)
      const mailTo = () => server.delivered.find(({ to }) => to.includes(address))
      const mail = await until(mailTo)
      await browser.get(linkIn(mail?.raw ?? "") ?? "")
      return (await sessionOf(browser)) ? SIGNED_IN : "no session"
    },
  })
  await cable.close()
  await server.close()
  return survived
}

describeServer("After an outage", "Express 5", (start) => {
  const stories = new Map<string, { first: Promise<Survived>; again: () => Promise<Survived> }>()
  const begin = (name: string, again: () => Promise<Survived>, turn = Promise.resolve()) => {
    const first = turn.then(again)
    // Told by its own test.
    first.catch(() => {})
    stories.set(name, { first, again })
  }
  // All at once: what takes time here is waiting.
  beforeAll(() => {
    for (const breakdown of BREAKDOWNS) {
      // The short ones while the long ones wait: each needs the machine when it begins.
      const turn = pause((10 - breakdown.seconds) * 500)
      begin(nameOf(breakdown), () => atProvider(start, breakdown), turn)
    }
    for (const outage of ["refused", "silent"] as const) begin(outage, () => atMailServer(start, outage))
  })

  function requireStory(name: string) {
    const story = stories.get(name)
    if (!story) throw new Error(`nothing was begun as ${name}`)
    return story
  }

  async function expectRecovered(name: string, { refusal, patienceMs }: { refusal: string; patienceMs: number }) {
    const { first, again } = requireStory(name)
    const story = await usual(await first, again)
    expect(story.told).toEqual([refusal, SIGNED_IN])
    expect(story.recoveredMs).toBeLessThan(RECOVERY_MS)
    expect(story.slowestMs).toBeLessThan(patienceMs)
  }

  it.each(BREAKDOWNS)(
    "FLT-09: people sign in again within 5 s at a provider whose $endpoint was down for $seconds s: $fault",
    (breakdown) => expectRecovered(nameOf(breakdown), { refusal: "302 OAuthCallbackError", patienceMs: PATIENCE_MS }),
    120_000,
  )

  it.each(["refused", "silent"] as const)(
    "EML-15: people get their links again within 5 s of a mail server that was down: connections %s",
    // A mail may take some seconds to be handed over; what waits for it, waits longer.
    (outage) => expectRecovered(outage, { refusal: "302 EmailSignin", patienceMs: PATIENCE_MS + 2_000 }),
    120_000,
  )
})
