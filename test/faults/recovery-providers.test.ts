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
import {
  RECOVERY_MS,
  type Recovery,
  resultOf,
  SIGNED_IN,
  secondSlowest,
  signInAt,
  signInThroughout,
  TIMEOUT_MS,
} from "./support/outage.js"
import { type Outage, startTcpProxy } from "./support/tcp-proxy.js"

guardProcess()

interface Breakdown {
  readonly endpoint: Endpoint
  readonly fault: Fault
  readonly seconds: number
}

const BREAKDOWNS: readonly Breakdown[] = [
  { endpoint: "discovery", fault: "reset", seconds: 10 },
  { endpoint: "discovery", fault: "hang", seconds: 10 },
  // Requests sent in that second hang until after the recovery.
  { endpoint: "discovery", fault: "hang", seconds: 1 },
  { endpoint: "jwks", fault: { status: 503 }, seconds: 10 },
  { endpoint: "jwks", fault: "hang", seconds: 1 },
  { endpoint: "token", fault: "reset", seconds: 10 },
  { endpoint: "token", fault: "hang", seconds: 10 },
]

const nameOf = (breakdown: Breakdown) => JSON.stringify(breakdown)

/** Signs in at a provider that is down from the application's first request. */
async function surviveProviderOutage(start: Start, { endpoint, fault, seconds }: Breakdown): Promise<Recovery> {
  const op = await startFaultyProvider()
  const app = await start({ providers: [op.oidc()], secret: TEST_SECRET, logger: recordingLogger().logger })
  const recovery = await signInThroughout({
    lastsMs: seconds * 1_000,
    begin: () => op.set({ fault: { [endpoint]: fault } }),
    async end() {
      // On a busy machine no request may have reached the endpoint yet.
      await until(() => op.count(endpoint) > 0, 20_000)
      op.reset()
    },
    attempt: () => signInAt(op, app.browser()),
  })
  await op.close()
  return recovery
}

const linkIn = (raw: string) => /https?:\S+callback\S+/.exec(readMail(raw).parts[0]?.body ?? "")?.[0]

async function surviveMailOutage(start: Start, outage: Outage): Promise<Recovery> {
  const server = await startMailServer()
  const proxy = await startTcpProxy(server.url)
  const provider = Nodemailer({ server: proxy.address(server.url), from: "Example <no-reply@example.com>" })
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
  const recovery = await signInThroughout({
    lastsMs: 10_000,
    begin: () => proxy.interrupt(outage),
    end: () => proxy.restore(),
    async attempt() {
      const address = `person-${count++}@example.com`
      const browser = app.browser()
      const page = await askForLink(browser, address)
      if (page.location === "" || errorOf(page) !== "") return resultOf(page)
      const mailTo = () => server.delivered.find(({ to }) => to.includes(address))
      const mail = await until(mailTo)
      await browser.get(linkIn(mail?.raw ?? "") ?? "")
      return (await sessionOf(browser)) ? SIGNED_IN : "no session"
    },
  })
  await proxy.close()
  await server.close()
  return recovery
}

describeServer("recovery from outages of providers and mail servers", "Express 5", (start) => {
  const runs = new Map<string, { first: Promise<Recovery>; again: () => Promise<Recovery> }>()
  const begin = (name: string, again: () => Promise<Recovery>, turn = Promise.resolve()) => {
    const first = turn.then(again)
    // The error is reported by the outage's own test.
    first.catch(() => {})
    runs.set(name, { first, again })
  }
  // All outages run concurrently, because most of their time is waiting.
  beforeAll(() => {
    for (const breakdown of BREAKDOWNS) {
      // Short outages start later, so that they do not compete for the CPU with the starts of the long ones.
      const turn = pause((10 - breakdown.seconds) * 500)
      begin(nameOf(breakdown), () => surviveProviderOutage(start, breakdown), turn)
    }
    for (const outage of ["refused", "silent"] as const) begin(outage, () => surviveMailOutage(start, outage))
  })

  function requireRun(name: string) {
    const run = runs.get(name)
    if (!run) throw new Error(`no outage was started as ${name}`)
    return run
  }

  async function expectRecovered(name: string, { refusal, timeoutMs }: { refusal: string; timeoutMs: number }) {
    const { first, again } = requireRun(name)
    const run = await secondSlowest(await first, again)
    expect(run.results).toEqual([refusal, SIGNED_IN])
    expect(run.recoveredMs).toBeLessThan(RECOVERY_MS)
    expect(run.slowestMs).toBeLessThan(timeoutMs)
  }

  it.each(BREAKDOWNS)(
    "FLT-09: sign-in works within 5 s after $endpoint of a provider was down for $seconds s: $fault",
    (breakdown) => expectRecovered(nameOf(breakdown), { refusal: "302 OAuthCallbackError", timeoutMs: TIMEOUT_MS }),
    120_000,
  )

  it.each(["refused", "silent"] as const)(
    "EML-15: email links arrive within 5 s after a mail server was down: connections %s",
    // Sending an email may take some seconds more.
    (outage) => expectRecovered(outage, { refusal: "302 EmailSignin", timeoutMs: TIMEOUT_MS + 2_000 }),
    120_000,
  )
})
