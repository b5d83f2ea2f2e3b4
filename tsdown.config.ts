import { readdirSync } from "node:fs"
import { defineConfig } from "tsdown"

/** `provider.ts` and `public.ts` are parts of the library; every other file there is a provider's own. */
const providers = readdirSync("lib/providers")
  .map((file) => file.replace(/\.ts$/, ""))
  .filter((id) => id !== "provider" && id !== "public")

const entry = {
  index: "lib/index.ts",
  jwt: "lib/jwt.ts",
  errors: "lib/errors.ts",
  types: "lib/types.ts",
  adapters: "lib/adapters/adapter.ts",
  ...Object.fromEntries(providers.map((id) => [`providers/${id}`, `lib/providers/${id}.ts`])),
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
  { ...shared, format: "esm", dts: true, clean: true },
  // These two come as ESM only; Jest of our users runs CommonJS and can't `require` them.
  { ...shared, format: "cjs", dts: true, clean: false, shims: true, deps: { alwaysBundle: ["jose", "oauth4webapi"] } },
])
