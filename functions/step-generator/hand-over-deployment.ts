import { limits } from '../../shared/config/limits.ts'
import type { EndWatcher } from '../../shared/engine/deployment/ends/end-watcher.ts'
import { toIdBatches } from '../../shared/engine/deployment/log/log-view.ts'
import type { LogWriter } from '../../shared/engine/deployment/log/log-writer.ts'
import { deploymentPartsOf, type DeploymentId } from '../../shared/records/ids.ts'
import type { HandOver } from '../../shared/records/pool.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'

/** The generator run that hands its deployment over, with the parts that the hand-over needs. */
export interface RunToHandOver {
  readonly deployment: DeploymentId
  readonly writer: LogWriter
  readonly watcher: EndWatcher
  /** The operations awaited at the decision to hand over. They may have ended since. */
  readonly awaitedIds: ReturnType<EndWatcher['awaitedIds']>
  /**
   * Waits a short time for operations that this process runs. Then kills the program and all other
   * processes of this generator run, without a shutdown request.
   */
  readonly endProgram: () => Promise<void>
}

/**
 * Hands a deployment over to its next generator run. The decisions become durable. The program is
 * killed with its calls unanswered, because an error would change its behavior. Then the deployment
 * is handed over. The next run is nudged, unless the end of an operation will wake it. If no nudge
 * arrives, the platform checks the stack after `watchdogNudgeMs`. Source:
 * docs/architecture.md#hand-over.
 */
export async function handOverDeployment(
  ports: GeneratorPorts,
  { deployment, writer, watcher, awaitedIds, endProgram }: RunToHandOver,
  handOver: HandOver,
): Promise<void> {
  const { stack } = deploymentPartsOf(deployment)
  await writer.finish()
  const watchedIds = [...new Set([...awaitedIds, ...watcher.awaitedIds()])]
  await endProgram()
  watcher.close()
  await ports.control.handOver(deployment, ports.holder, handOver)
  // At the time limit of a function the next run continues immediately. A run that only waits is
  // woken by the end of an operation. But an executor may have recorded an end before it could see
  // the hand-over, and such an end sends no nudge.
  const mustNudge = handOver.why === 'limit' || (await hasAnyEnded(ports, deployment, watchedIds))
  if (mustNudge) await ports.nudges.nudge(stack, 0)
}

async function hasAnyEnded(
  ports: GeneratorPorts,
  deployment: DeploymentId,
  watchedIds: ReturnType<EndWatcher['awaitedIds']>,
): Promise<boolean> {
  for (const ids of toIdBatches(watchedIds, limits.idsPerReadMax)) {
    const heads = await ports.operations.getHeads(deployment, ids)
    if ([...heads.values()].some(head => head.end !== undefined)) return true
  }
  return false
}
