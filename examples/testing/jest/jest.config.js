// ES modules as they are: run it with NODE_OPTIONS=--experimental-vm-modules. With Babel or SWC leave both away.
export default { testEnvironment: "node", transform: {} }
