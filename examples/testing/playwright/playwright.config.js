import { defineConfig } from "@playwright/test"

export default defineConfig({
  // Uses the installed Chromium if set, otherwise the one of `npx playwright install chromium`.
  use: { launchOptions: { executablePath: process.env.CHROMIUM_PATH } },
  reporter: "list",
  workers: 1,
})
