// For native ES modules, run with NODE_OPTIONS=--experimental-vm-modules. With Babel or SWC remove both.
export default { testEnvironment: "node", transform: {} }
