import { join, relative, resolve } from "node:path"
import ts from "typescript"
import { blocksOf, markdownFiles, read } from "./support/markdown.js"

const ROOT = resolve(__dirname, "../..")

/** Declarations that the samples assume: imports from earlier on their page, and common names of an application. */
const GIVEN = `
declare const express: typeof import("express")
declare const app: import("express").Express
declare const req: import("express").Request
declare const request: Request
declare const config: import("latchkey").AuthConfig
declare const authMiddleware: typeof import("latchkey").authMiddleware
declare const requireAuth: typeof import("latchkey").requireAuth
declare const sameOrigin: import("express").RequestHandler
declare const getSession: typeof import("latchkey").getSession
declare const Auth0: typeof import("latchkey/providers/auth0").default
declare const Credentials: typeof import("latchkey/providers/credentials").default
declare const GitHub: typeof import("latchkey/providers/github").default
declare const Google: typeof import("latchkey/providers/google").default
declare const Nodemailer: typeof import("latchkey/providers/nodemailer").default
declare const Passkey: typeof import("latchkey/providers/passkey").default
declare const Resend: typeof import("latchkey/providers/resend").default
declare const SqlAdapter: typeof import("latchkey/adapters/sql").SqlAdapter
declare const adapter: import("latchkey/adapters/sql").SqlAdapter
declare const RedisAdapter: typeof import("latchkey/adapters/redis").RedisAdapter
declare const PrismaAdapter: typeof import("@auth/prisma-adapter").PrismaAdapter
declare const devProvider: typeof import("latchkey/testing").devProvider
declare const frozenClock: typeof import("latchkey/testing").frozenClock
declare const signInAs: typeof import("latchkey/testing").signInAs
declare const csrf: typeof import("latchkey/testing").csrf
declare const mailbox: typeof import("latchkey/testing").mailbox
declare const inbox: ReturnType<typeof mailbox> | undefined
declare const claims: import("latchkey/jwt").JWT | null
declare const clientId: string, clientSecret: string, secret: string, from: string, server: string
declare const username: string, password: string
`

/** Compiler errors about names and modules of the application, and about missing types in JavaScript. */
const IGNORED_CODES = new Set([2304, 2307, 2552, 18004, 7005, 7006, 7031, 7034])

/** The beginnings of samples that cannot be compiled as Express programs, with the reason. */
const EXCLUDED: Readonly<Record<string, string>> = {
  "import { randomBytes, scrypt as": "the types of Node.js lack the options of `promisify(scrypt)`",
  'import { createServer } from "node:http"\n\nconst auth': "the type of `req` has `getSession` only with Express",
  'import { once } from "node:events"\nimport { request }': "the compiler has two types of `ReadableStream`",
  "const TOKEN_ENDPOINT": "its functions have parameters without types",
  'app.use("/account/*", async (c, next)': "Hono",
  'test("the orders are shown': "`test` and `page` are Playwright's",
  'addEventListener("fetch"': "a service worker",
}

const all = markdownFiles()
  .filter((file) => /^(?:README|docs\/[^/]+)\.md$/.test(file))
  .flatMap((file) => blocksOf(read(file)).map((block) => ({ ...block, file })))
  .filter(({ language }) => /^[jt]s$/.test(language))
const samples = all.filter(({ code }) => !Object.keys(EXCLUDED).some((begin) => code.startsWith(begin)))

/** The compiler errors of texts that exist only in memory. */
function compile(texts: ReadonlyMap<string, string>): string[] {
  const path = join(ROOT, "tsconfig.json")
  const { options: ours } = ts.parseJsonConfigFileContent(ts.readConfigFile(path, ts.sys.readFile).config, ts.sys, ROOT)
  // A sample may declare names for the next one, and need not use `override`. The assumed declarations are checked too.
  const options = {
    ...ours,
    noUnusedLocals: false,
    noUnusedParameters: false,
    noImplicitOverride: false,
    skipLibCheck: false,
  }
  const host = ts.createCompilerHost(options)
  const { fileExists, getSourceFile } = host
  host.fileExists = (file) => texts.has(file) || fileExists(file)
  host.getSourceFile = (file, version, ...rest) => {
    const text = texts.get(file)
    return text === undefined ? getSourceFile(file, version, ...rest) : ts.createSourceFile(file, text, version)
  }
  const program = ts.createProgram([...texts.keys()], options, host)
  return [...texts.keys()].flatMap((file) =>
    program
      .getSemanticDiagnostics(program.getSourceFile(file))
      .filter(({ code }) => !IGNORED_CODES.has(code))
      .map(
        ({ code, messageText }) =>
          `${relative(ROOT, file)}: TS${code} ${ts.flattenDiagnosticMessageText(messageText, " ")}`,
      ),
  )
}

it("every sample compiles in a strict project", () => {
  const modules = samples.map(
    ({ file, line, code }) => [join(ROOT, `${file}.${line}.ts`), `${code}\nexport {}\n`] as const,
  )
  expect(compile(new Map([[join(ROOT, "given.d.ts"), GIVEN], ...modules]))).toEqual([])
}, 120_000)

it("a type error in a sample is detected", () => {
  const wrong = "export const name: string = (await getSession(req, config))?.user?.name"
  const texts = new Map([
    [join(ROOT, "given.d.ts"), GIVEN],
    [join(ROOT, "wrong.ts"), wrong],
  ])
  expect(compile(texts)).toEqual([expect.stringMatching(/^wrong\.ts: TS2322/)])
}, 120_000)

it.each(Object.keys(EXCLUDED))("the excluded sample exists: %j", (begin) => {
  expect(all.filter(({ code }) => code.startsWith(begin))).not.toEqual([])
})
