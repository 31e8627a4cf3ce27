import { limits } from '../../shared/config/limits.ts'
import { DeployError, createError, hasCode } from '../../shared/errors/error.ts'
import { errorSourceOf } from '../../shared/providers/retry-policy.ts'
import type { Platform } from '../../shared/ports/platform.ts'
import type { EditRequest } from '../../shared/records/stack-request.ts'
import type { RequestAuthorization } from '../../shared/runtime/credentials/authorize-request.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'
import { createRefusedEnd } from './create-refused-end.ts'
import { editState } from './edit-state.ts'
import { renameStack } from './rename-stack.ts'

/** The dependencies of serving a requested edit. */
export interface EditServer {
  readonly platform: Pick<Platform, 'requests' | 'renames' | 'archives' | 'clock' | 'logger'>
  readonly ports: GeneratorPorts
  readonly authorization?: RequestAuthorization
}

/**
 * Runs a requested edit or rename. Refuses an edit after an error that its sender must correct.
 * Refuses an edit that has waited too long, because its sender does not wait any longer. Returns
 * `held` when another process has the stack. Throws the errors of the store. In both cases the
 * request continues to wait.
 */
export async function serveEdit(
  { platform, ports, authorization }: EditServer,
  request: EditRequest,
): Promise<'ended' | 'refused' | 'held'> {
  const { stack, key, edit, at, by } = request
  try {
    await authorization?.requireApproved(request)
    if (platform.clock.now() - at > limits.editWaitMs)
      throw createError(
        'REQUEST_EXPIRED',
        `the edit waited longer than ${limits.editWaitMs / 1000} s`,
      )
    if (edit.kind === 'rename stack') {
      const { to, placements } = edit
      await renameStack(platform, ports, { from: stack, to, key, placements, by })
    } else await editState(platform, ports, { stack, edit, key, by })
    return 'ended'
  } catch (thrown) {
    if (hasCode(thrown, 'STACK_BUSY') || hasCode(thrown, 'DEPLOYMENT_TAKEN_OVER')) return 'held'
    if (!(thrown instanceof DeployError) || errorSourceOf(thrown) === 'store') throw thrown
    const { code } = thrown
    // The first end counts: an edit that has started keeps its end.
    await platform.requests.end(stack, key, createRefusedEnd(thrown))
    platform.logger.write('warn', 'request.refused', { stack, key, code })
    return 'refused'
  }
}
