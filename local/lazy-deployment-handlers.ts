/** The handlers that change stacks, for `loadDeploymentHandlers`. */
export { editState, putNamedState } from '../functions/step-generator/edit-state.ts'
export { renameStack } from '../functions/step-generator/rename-stack.ts'
export { closeDeadDeployment } from '../shared/engine/deployment/ownership/take-over.ts'
export { compact } from '../shared/runtime/compaction/fold-and-publish.ts'
export { createFirstState } from '../shared/runtime/state/first-state.ts'
export { cancel } from './cancel-deployment.ts'
export { deploy } from './deploy.ts'
export { redrive } from './redrive.ts'
