/** `npm run test:timing` measures longer and with lower limits, on an idle machine. */
export const isStrict = process.env["TEST_TIMING"] === "strict"
