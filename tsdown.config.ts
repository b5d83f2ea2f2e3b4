import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "tsdown"

/** The modules of a folder that applications import by name; the others are parts of the library. */
const modulesIn = (folder: string, parts: readonly string[]) =>
  readdirSync(`lib/${folder}`)
    .filter((file) => file.endsWith(".ts") && !parts.includes(file))
    .map((file) => [`${folder}/${file.slice(0, -3)}`, `lib/${folder}/${file}`])

const entry = {
  index: "lib/index.ts",
  jwt: "lib/jwt.ts",
  errors: "lib/errors.ts",
  types: "lib/types.ts",
  testing: "lib/testing.ts",
  adapters: "lib/adapters/adapter.ts",
  ...Object.fromEntries(modulesIn("adapters", ["adapter.ts", "bind.ts", "parts.ts", "plain-failure.ts"])),
  ...Object.fromEntries(
    modulesIn("providers", ["provider.ts", "public.ts", "send-mail.ts", "smtp-socket.ts", "smtp.ts", "vendor.ts"]),
  ),
}

/** The folder of the package that a module is of; undefined for ours. */
const packageOf = (module: string): string | undefined =>
  /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(module)?.[0]

function licenceOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  if (!file) throw new Error(`${name} has no licence, and may not be bundled`)
  return `/*! With ${name} ${version}:\n${readFileSync(join(folder, file), "utf8").trim()} */\n`
}

interface Chunk {
  readonly type: string
  readonly fileName: string
  readonly moduleIds?: readonly string[]
  code?: string
}

/** The licences of what is bundled want to go with every copy of it. Last of all: whatever prints the code anew may drop them. */
const licences = {
  name: "licences",
  generateBundle(_: unknown, bundle: Readonly<Record<string, Chunk>>) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== "chunk" || chunk.fileName.includes(".d.")) continue
      const folders = new Set(chunk.moduleIds?.flatMap((id) => packageOf(id) ?? []))
      chunk.code = [...folders].sort().map(licenceOf).join("") + chunk.code
    }
  },
}

/**
 * What `require` gives is the default export itself where it is the only value: `export =` says so. The types beside it
 * are members of its namespace then, and are imported by name as before.
 */
const whatIsRequired = {
  name: "what-is-required",
  generateBundle(_: unknown, bundle: Readonly<Record<string, Chunk>>) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.code === undefined || !chunk.fileName.endsWith(".d.cts")) continue
      chunk.code = chunk.code.replace(
        /^export \{ ([\w, ]+), (\w+) as default \};$/m,
        "declare namespace $2 {\n  export type { $1 };\n}\nexport = $2;",
      )
    }
  },
}

const shared = {
  entry,
  target: "node20.19",
  platform: "node",
  fixedExtension: false,
  logLevel: "warn",
  sourcemap: false,
} as const

export default defineConfig([
  // The command runs as a process of its own, and the application that it looks at in another: nobody requires them.
  {
    ...shared,
    entry: { ...entry, cli: "lib/cli/main.ts", "doctor-child": "lib/cli/doctor/child.ts" },
    format: "esm",
    dts: true,
    clean: true,
    plugins: [licences],
  },
  // These two come as ESM only; Jest of our users runs CommonJS and can't `require` them.
  {
    ...shared,
    format: "cjs",
    plugins: [licences],
    // Else what all files share is put into one of them, and importing anything loads that one.
    outputOptions: {
      codeSplitting: { groups: [{ name: "rolldown-runtime", test: /rolldown[\\/]runtime/ }] },
      // Declarations are written in a run of their own, which takes plugins from here alone.
      plugins: [whatIsRequired],
    },
    dts: true,
    clean: false,
    shims: true,
    deps: { alwaysBundle: [/^jose(?:\/|$)/, "oauth4webapi"] },
  },
])
