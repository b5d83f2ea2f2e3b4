/** `npm run test:timing` looks longer and wants more, on a machine that has nothing else to do. */
export const isStrict = process.env["TEST_TIMING"] === "strict"
