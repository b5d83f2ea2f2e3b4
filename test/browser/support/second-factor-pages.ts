import type { AssetProps, BaseProps, PageName, PageProps } from "../../../lib/pages/props.js"
import type { Pages, RenderedPage } from "../../../lib/pages/render.js"
import { createQrCode } from "../../../lib/second-factor/totp.js"
import { renderSample } from "../../unit/pages/samples.js"

/** The QR code of a user with a long address. */
const LARGE = createQrCode({
  issuer: "The Bank of Llanfairpwllgwyngyll",
  label: `${"a-very-long-name.".repeat(3)}ada@mail.a-long-department.example.com`,
  secret: "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP",
})

type Changes<N extends PageName> = (common: BaseProps) => Partial<PageProps[N]>
type Render = (common: BaseProps) => RenderedPage

const CODES = ["CDFHJ-47XYM", "KMNPR-TVWXY", "3J479-CDFHJ", "PRTVW-XY347", "79CDF-HJKMN"]

/** The pages of the second factor by path, in each of their states. */
export function secondFactorPages(pages: Pages, scripts: readonly AssetProps[]): Map<string, Render> {
  const page =
    <N extends PageName>(name: N, more: Changes<N> = () => ({})): Render =>
    (common) =>
      renderSample(pages, name, { ...common, ...more(common) })
  const withPasskey = { scripts, optionsUrl: "" }
  return new Map<string, Render>([
    ["/second-factor", page("second-factor", () => ({ ...withPasskey, error: undefined }))],
    [
      "/second-factor-refused",
      page("second-factor", ({ t }) => ({ ...withPasskey, error: t("secondFactor.error.code") })),
    ],
    [
      "/second-factor-passkey",
      page("second-factor", () => ({ ...withPasskey, error: undefined, hasApp: false, hasRecovery: false })),
    ],
    ["/second-factor-setup", page("second-factor-setup")],
    [
      "/second-factor-setup-refused",
      page("second-factor-setup", ({ t }) => ({ error: t("secondFactorSetup.error"), isSignIn: false, qrCode: LARGE })),
    ],
    ["/recovery-codes", page("recovery-codes", () => ({ codes: [...CODES, ...CODES] }))],
    ["/second-factor-settings", page("second-factor-settings")],
    ["/second-factor-settings-off", page("second-factor-settings", () => ({ isEnrolled: false, canRemove: false }))],
  ])
}
