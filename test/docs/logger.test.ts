import pino from "pino"
import { Auth } from "../../lib/index.js"
import Credentials from "../../lib/providers/credentials.js"
import type { AuthConfig, LoggerInstance } from "../../lib/types.js"
import { TEST_SECRET } from "../support/apps.js"
import { Browser } from "../support/browser.js"
import { blocksOf, read } from "./support/markdown.js"

/** The logger of the sample in docs/configuration.md, and the lines that pino writes with it. */
function documentedLogger() {
  const sample = blocksOf(read("docs/configuration.md")).find(({ code }) => code.startsWith("const log = pino()"))
  const given = { authMiddleware: ({ logger }: AuthConfig) => logger, GitHub: {} }
  const lines: string[] = []
  const stream = { write: (line: string) => void lines.push(line) }
  const parameters = { ...given, pino: () => pino({}, stream) }
  const code = sample?.code.replace("authMiddleware(", "return authMiddleware(") ?? ""
  // Runs the sample itself.
  const logger = Function(...Object.keys(parameters), code)(...Object.values(parameters)) as LoggerInstance
  return { logger, lines }
}

it("the pino sample writes messages and stacks, but no password from an error of authorize", async () => {
  const { logger, lines } = documentedLogger()
  const authorize = () => {
    const options = { cause: new Error("the socket was closed") }
    throw Object.assign(new Error("the directory is down", options), { password: "hunter2", bind: { pw: "hunter2" } })
  }
  const providers = [Credentials({ credentials: { password: {} }, authorize })]
  const config = { secret: TEST_SECRET, trustHost: true, basePath: "/auth", logger, providers }
  const send = (request: Request) => Auth(request, config)
  const browser = new Browser({ origin: "http://app.test", send })
  const csrfToken = await browser.csrf("/auth")
  await browser.post("/auth/callback/credentials", { csrfToken, password: "hunter2" })
  const [line = ""] = lines
  const { err } = JSON.parse(line)
  expect(err).toMatchObject({ type: "CallbackRouteError", messageCode: "callback-failed" })
  expect(err.cause.err.stack).toMatch(/^Error: the directory is down\n {4}at Object.authorize /)
  expect(err.cause.err.cause.message).toBe("the socket was closed")
  expect(line).not.toContain("hunter2")
})

it("the pino sample writes warnings that are errors or texts", () => {
  const { logger, lines } = documentedLogger()
  logger.warn("debug-enabled", "a text")
  logger.warn("credentials-refused", new Error("behind the warning"))
  const [text, error] = lines.map((line) => JSON.parse(line))
  expect(text).toMatchObject({ level: 40, code: "debug-enabled", err: "a text" })
  expect(error).toMatchObject({ level: 40, code: "credentials-refused", err: { message: "behind the warning" } })
})
