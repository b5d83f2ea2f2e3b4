import type { Command } from "./command.js"

/** The commands by name. Each is loaded when it is called. */
export const COMMANDS: ReadonlyMap<string, () => Promise<Command>> = new Map([
  ["init", async () => (await import("./init.js")).initCommand],
  ["secret", async () => (await import("./secret.js")).secretCommand],
  ["doctor", async () => (await import("./doctor.js")).doctorCommand],
  ["providers", async () => (await import("./providers.js")).providersCommand],
  ["explain", async () => (await import("./explain.js")).explainCommand],
  ["migrate", async () => (await import("./migrate.js")).migrateCommand],
  ["eject", async () => (await import("./eject.js")).ejectCommand],
])
