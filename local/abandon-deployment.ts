import type { GeneratorPorts } from '../shared/runtime/deployment/generator-ports.ts'
import { hasCode } from '../shared/errors/error.ts'
import type { StackRecord } from '../shared/ports/catalog.ts'
import type { DeploymentId } from '../shared/records/ids.ts'

/** Whether something was asked of records or blobs that cannot be read. */
export function isUnreadable(thrown: unknown): thrown is Error {
  return hasCode(thrown, 'RECORD_DAMAGED') || hasCode(thrown, 'STATE_INVALID')
}

/**
 * Releases a stack from a deployment that cannot be closed: nothing more of it begins, nothing is
 * published, and what it recorded stays to be looked at. May be repeated.
 */
export async function abandonDeployment(
  ports: Pick<GeneratorPorts, 'control' | 'catalog' | 'clock'>,
  deployment: DeploymentId,
  { version }: Pick<StackRecord, 'version'>,
): Promise<void> {
  // Where its control record is damaged too, no begin can read it.
  const ignoreDamaged = (thrown: unknown): void => {
    if (!isUnreadable(thrown)) throw thrown
  }
  await ports.control.stop(deployment, 'forced').catch(ignoreDamaged)
  await ports.control.close(deployment).catch(ignoreDamaged)
  const end = { at: ports.clock.now(), result: 'cancelled', changes: {}, version } as const
  await ports.catalog.release(deployment, end)
}
