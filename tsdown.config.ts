import { readdirSync } from "node:fs"
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
  adapters: "lib/adapters/adapter.ts",
  ...Object.fromEntries(modulesIn("adapters", ["adapter.ts", "bind.ts"])),
  ...Object.fromEntries(modulesIn("providers", ["provider.ts", "public.ts", "send-mail.ts", "smtp.ts", "vendor.ts"])),
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
  // The command runs as a process of its own: nobody requires it.
  { ...shared, entry: { ...entry, cli: "lib/cli/main.ts" }, format: "esm", dts: true, clean: true },
  // These two come as ESM only; Jest of our users runs CommonJS and can't `require` them.
  {
    ...shared,
    format: "cjs",
    dts: true,
    clean: false,
    shims: true,
    deps: { alwaysBundle: [/^jose(?:\/|$)/, "oauth4webapi"] },
  },
])
