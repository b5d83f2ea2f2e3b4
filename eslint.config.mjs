import regexp from "eslint-plugin-regexp"
import tseslint from "typescript-eslint"

/** Formatting and most rules are Biome's; these need types, or analyse regular expressions. */
export default tseslint.config(
  {
    ignores: [
      "dist/",
      "node_modules/",
      "coverage/",
      "**/*.{js,mjs,cjs}",
      "*.config.ts",
      "examples/",
      "bench/",
      "test/types/",
    ],
  },
  {
    files: ["lib/**/*.ts"],
    extends: [tseslint.configs.base],
    languageOptions: { parserOptions: { projectService: true } },
    plugins: { regexp },
    rules: {
      // Text of a request must not take more than linear time.
      "regexp/no-super-linear-backtracking": ["error", { report: "potential" }],
      "regexp/no-super-linear-move": ["error", { report: "potential" }],
      "@typescript-eslint/no-floating-promises": "error",
      "@typescript-eslint/no-misused-promises": "error",
      "@typescript-eslint/await-thenable": "error",
      "@typescript-eslint/switch-exhaustiveness-check": ["error", { considerDefaultExhaustiveForUnions: true }],
      "@typescript-eslint/no-explicit-any": "off",
      "@typescript-eslint/no-unnecessary-type-assertion": "error",
      "@typescript-eslint/only-throw-error": "error",
    },
  },
)
