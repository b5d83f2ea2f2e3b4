import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { defineConfig } from "tsdown"

/** The public modules of a folder: all except the given internal ones. */
const modulesIn = (folder: string, internal: readonly string[]) =>
  readdirSync(`lib/${folder}`)
    .filter((file) => file.endsWith(".ts") && !internal.includes(file))
    .map((file) => [`${folder}/${file.slice(0, -3)}`, `lib/${folder}/${file}`])

const entry = {
  index: "lib/index.ts",
  jwt: "lib/jwt.ts",
  errors: "lib/errors.ts",
  types: "lib/types.ts",
  testing: "lib/testing.ts",
  adapters: "lib/adapters/adapter.ts",
  ...Object.fromEntries(modulesIn("adapters", ["adapter.ts", "bind.ts", "nested-transactions.ts"])),
  ...Object.fromEntries(
    ["memory", "redis", "sql", "testing"].map((name) => [`stores/${name}`, `lib/store/${name}.ts`]),
  ),
  ...Object.fromEntries(modulesIn("providers", [])),
}

/** The folder of the npm package that contains a module; undefined for a module of this package. */
const packageOf = (module: string): string | undefined =>
  /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/.exec(module)?.[0]

function licenceOf(folder: string): string {
  const { name, version } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))
  const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name))
  if (!file) throw new Error(`${name} has no licence file, so it must not be bundled`)
  return `/*! With ${name} ${version}:\n${readFileSync(join(folder, file), "utf8").trim()} */\n`
}

interface Chunk {
  readonly type: string
  readonly fileName: string
  readonly moduleIds?: readonly string[]
  code?: string
}

/** Adds the licences of bundled packages to each file. It must be the last plugin, because others may drop comments. */
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
 * Declares `export =` in files whose only value is the default export, because `require` returns that value itself. The
 * types of the file become members of its namespace and are still imported by name.
 */
const exportAssignment = {
  name: "export-assignment",
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

/** JSDoc is only in the declarations. In the code it would take almost a quarter of the size. */
const comments = { legal: true, annotation: true, jsdoc: false }

const shared = {
  entry,
  target: "node20.19",
  platform: "node",
  fixedExtension: false,
  logLevel: "warn",
  sourcemap: false,
} as const

export default defineConfig([
  // The command and the process in which `doctor` loads the configuration are never imported, so they are built as ESM only.
  {
    ...shared,
    entry: { ...entry, cli: "lib/cli/main.ts", "config-child": "lib/cli/config-child.ts" },
    format: "esm",
    dts: true,
    clean: true,
    plugins: [licences],
    outputOptions: { comments },
  },
  // jose and oauth4webapi are ESM only, and an application's tests under Jest can't `require` them, so they are bundled.
  {
    ...shared,
    format: "cjs",
    plugins: [licences],
    // Otherwise the shared runtime becomes part of one entry, and every import loads that entry.
    outputOptions: {
      comments,
      codeSplitting: { groups: [{ name: "rolldown-runtime", test: /rolldown[\\/]runtime/ }] },
      // Declarations are generated in a separate run, which uses only the plugins listed here.
      plugins: [exportAssignment],
    },
    dts: true,
    clean: false,
    shims: true,
    deps: { alwaysBundle: [/^jose(?:\/|$)/, "oauth4webapi"] },
  },
])
