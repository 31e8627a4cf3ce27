import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'
import { hasCode } from '../../shared/errors/error.ts'
import type { StackRecord } from '../../shared/ports/catalog.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'

/** Reports whether an error means unreadable records or blobs. */
export function isUnreadable(thrown: unknown): thrown is Error {
  return hasCode(thrown, 'RECORD_DAMAGED') || hasCode(thrown, 'STATE_INVALID')
}

/**
 * Releases a stack from a deployment whose unreadable records prevent an ordered close. Later
 * begins are given back, nothing is published, and the records of the deployment stay for
 * inspection. Can be repeated.
 */
export async function abandonDeployment(
  ports: Pick<GeneratorPorts, 'control' | 'catalog' | 'clock'>,
  deployment: DeploymentId,
  { version }: Pick<StackRecord, 'version'>,
): Promise<void> {
  // If the control record is damaged too, no executor can read it, so no operation begins.
  const ignoreDamaged = (thrown: unknown): void => {
    if (!isUnreadable(thrown)) throw thrown
  }
  await ports.control.stop(deployment, 'forced').catch(ignoreDamaged)
  await ports.control.close(deployment).catch(ignoreDamaged)
  const end = { at: ports.clock.now(), result: 'cancelled', changes: {}, version } as const
  await ports.catalog.release(deployment, end)
}
