import type { DeployInput } from '../../engine/request.ts'
import { createError } from '../../errors/error.ts'
import type { RequestsPort } from '../../ports/requests.ts'
import type { StackId } from '../../records/ids.ts'
import type { DeploymentRequest } from '../../records/stack-request.ts'
import type { StoredDeployment } from '../../state/stored.ts'
import { signatures } from '../../values/wire-options.ts'
import type { StackServerDeps } from '../deployment/stack-server-deps.ts'
import { previewRoleKey, roleKey } from './stack-role.ts'

/** Dependencies of opening unreviewed previews. */
export interface ReviewedConfigDeps {
  readonly requests: Pick<RequestsPort, 'getProgram'>
  /** Returns the current state of a stack, or undefined for none. */
  readonly readState: (stack: StackId) => Promise<StoredDeployment | undefined>
}

/**
 * Returns an opener that sets the field `reviewedConfig` of an unreviewed preview to the
 * configuration of the stack's last deployed program (`RequestsPort.getProgram`). Without such a
 * program, this configuration is empty. Throws PREVIEW_ROLE_MISSING if this configuration names no
 * preview role, and the stack has a role or secrets. Throws the errors of `open`, also for the last
 * deployed program.
 */
export function withReviewedConfig(
  open: StackServerDeps['open'],
  { requests, readState }: ReviewedConfigDeps,
): StackServerDeps['open'] {
  return async request => {
    const deployRequest = await open(request)
    if (!isUnreviewed(request)) return deployRequest
    const { stack } = request
    const archive = await requests.getProgram(stack)
    const reviewedConfig: DeployInput['config'] =
      archive === undefined
        ? new Map()
        : (await open({ ...request, program: { kind: 'archive', archive } })).config
    if (!reviewedConfig.has(previewRoleKey)) {
      const needsProtection =
        [deployRequest.config, reviewedConfig].some(hasProtectedValues) ||
        hasSecrets(await readState(stack))
      if (needsProtection) throw createPreviewRoleMissingError(stack)
    }
    return { ...deployRequest, reviewedConfig }
  }
}

/** Reports whether a configuration names a role, or has a secret value. */
function hasProtectedValues(config: DeployInput['config']): boolean {
  const namesRole = config.has(roleKey) || config.has(previewRoleKey)
  return namesRole || [...config.values()].some(({ isSecret }) => isSecret)
}

/** Reports whether a state has secrets, which a program could get as outputs. */
function hasSecrets(state: StoredDeployment | undefined): boolean {
  return state !== undefined && JSON.stringify(state).includes(`"${signatures.secret}"`)
}

function createPreviewRoleMissingError(stack: StackId): Error {
  const message = `the stack '${stack}' has a role or secrets, and its last deployed program names no '${previewRoleKey}' for unreviewed commits`
  return createError('PREVIEW_ROLE_MISSING', message)
}

/**
 * Reports whether a request previews an unreviewed commit. Such a request comes from a webhook, and
 * the webhook's rule does not let previews use the role of deployments.
 */
function isUnreviewed({ dryRun, origin, program }: DeploymentRequest): boolean {
  return (
    dryRun &&
    origin?.kind === 'webhook' &&
    program.kind === 'repository' &&
    program.previewWithDeployRole !== true
  )
}
