import { stackPath } from './service-route.ts'

/** The path of the deployments of a stack. */
export const deploymentsPath = `${stackPath}/deployments`
