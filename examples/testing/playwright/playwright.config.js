import { defineConfig } from "@playwright/test"

export default defineConfig({
  // Chromium of this machine, where one is named; else the one that `npx playwright install chromium` brings.
  use: { launchOptions: { executablePath: process.env.CHROMIUM_PATH } },
  reporter: "list",
  workers: 1,
})
