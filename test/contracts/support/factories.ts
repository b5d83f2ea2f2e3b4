import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import type { ProviderObject } from "../../../lib/provider-kit/provider.js"

// biome-ignore lint/suspicious/noExplicitAny: options differ from factory to factory
export type Factory = (options: any) => ProviderObject

const FOLDER = join(__dirname, "../../../lib/providers")

/** The files in lib/providers that export a factory. */
export const PROVIDER_FILES = readdirSync(FOLDER)
  .filter((file) => file.endsWith(".ts") && /^export default /m.test(readFileSync(join(FOLDER, file), "utf8")))
  .map((file) => file.slice(0, -".ts".length))

export async function loadFactory(file: string): Promise<Factory> {
  const { default: factory }: { default: Factory } = await import(join(FOLDER, file))
  return factory
}
