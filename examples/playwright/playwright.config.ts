import { defineConfig } from '@playwright/test'

const port = Number(process.env.SHOP_PORT ?? 4173)

export default defineConfig({
  globalSetup: './start-commerce.ts',
  fullyParallel: true,
  reporter: 'list',
  use: {
    baseURL: `http://localhost:${port}`,
    // undefined: the browser that Playwright installed
    launchOptions: { executablePath: process.env.CHROMIUM_PATH }
  },
  webServer: { command: `node shop/server.mjs ${port}`, port, reuseExistingServer: !process.env.CI }
})
