import { createPages } from "../../../lib/pages/render.js"
import { renderSample } from "./samples.js"

const hasLoadedEjs = () => Object.keys(require.cache).some((path) => /[\\/]node_modules[\\/]ejs[\\/]/.test(path))

it("createPages loads EJS only when the first page is rendered", () => {
  const pages = createPages({})
  expect(hasLoadedEjs()).toBe(false)
  renderSample(pages, "signin")
  expect(hasLoadedEjs()).toBe(true)
})
