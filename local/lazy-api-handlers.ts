/** The handlers of the API and its server, for `loadApiHandlers`. */
export { callApiInProcess } from '../functions/api/call-in-process.ts'
export { removeStackDocuments } from '../shared/runtime/state/remove-idle-stack.ts'
export { createApiPorts } from './serve-api.ts'
export { serveHome } from './serve-home.ts'
