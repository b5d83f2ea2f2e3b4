import type { Page } from "playwright-core"
import { PNG } from "pngjs"

type Scan = (data: Uint8ClampedArray, width: number, height: number) => { readonly data: string } | null

// Its types describe an ES module, but it is CommonJS.
const { default: scan }: { readonly default: Scan } = require("jsqr")

/** Scans the QR code on a page, as a camera does: from its picture. Undefined if it can't be read. */
export async function scanQrCode(page: Page): Promise<string | undefined> {
  const { data, width, height } = PNG.sync.read(await page.locator(".qr-code").screenshot())
  return scan(Uint8ClampedArray.from(data), width, height)?.data
}
