import type { Choices, Framework } from "./choices.js"
import { expressServer } from "./servers/express.js"
import { fastifyServer } from "./servers/fastify.js"
import { honoServer } from "./servers/hono.js"
import { otherServer } from "./servers/other.js"
import type { ServerFor } from "./servers/server.js"
import { type Dialect, type Import, importLines, siblingImport } from "./source.js"

const SERVERS: Readonly<Record<Framework, ServerFor>> = {
  express: expressServer,
  hono: honoServer,
  fastify: fastifyServer,
  other: otherServer,
}

const fromAuth = ({ session }: Choices, dialect: Dialect): Import => ({
  from: siblingImport("auth", dialect),
  names: [...(session === "cookie" ? [] : ["adapter"]), "authConfig"],
})

/** The lines that start the server, after the migration if there is a database. */
function startLines(listen: string, { session }: Choices, { canAwait }: Dialect): string {
  if (session === "cookie") return listen
  return canAwait ? `await adapter.migrate()\n${listen}` : `adapter.migrate().then(() => ${listen})`
}

/** `server.js`: an application that shows the current user. Undefined for an unknown framework. */
export function serverFile(choices: Choices, dialect: Dialect): string | undefined {
  const { imports, mountImports, names, create, mount, routes, listen } = SERVERS[choices.framework](dialect)
  if (!create) return undefined
  const all = [...imports, ...mountImports, { from: "latchkey", names }, fromAuth(choices, dialect)]
  const begin = `const port = Number(process.env.PORT ?? 3000)\n${create}`
  const parts = [importLines(all, dialect).join("\n"), begin, mount, routes, startLines(listen, choices, dialect)]
  return `${parts.join("\n\n")}\n`
}

/** The lines to add to an existing application. */
export function serverLines(choices: Choices, dialect: Dialect): string {
  const { mountImports, names, mount } = SERVERS[choices.framework](dialect)
  const all = [...mountImports, { from: "latchkey", names }, fromAuth(choices, dialect)]
  const call = dialect.canAwait ? "await adapter.migrate()" : "adapter.migrate().then(() => app.listen(3000))"
  const migration = `// Once, before the application listens.\n${call}`
  return [importLines(all, dialect).join("\n"), ...(choices.session === "cookie" ? [] : [migration]), mount].join(
    "\n\n",
  )
}
