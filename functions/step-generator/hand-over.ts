import { limits } from '../../shared/config/limits.ts'
import type { EndWatcher } from '../../shared/engine/deployment/ends/end-watcher.ts'
import { toIdBatches } from '../../shared/engine/deployment/log/log-view.ts'
import type { LogWriter } from '../../shared/engine/deployment/log/log-writer.ts'
import { deploymentPartsOf, type DeploymentId } from '../../shared/records/ids.ts'
import type { HandOver } from '../../shared/records/pool.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'

/** What a life that leaves has in hand. */
export interface LeavingRun {
  readonly deployment: DeploymentId
  readonly writer: LogWriter
  readonly watcher: EndWatcher
  /** What was awaited when it was decided to leave: it may have ended since. */
  readonly awaited: ReturnType<EndWatcher['openWaits']>
  /** Ends the program and whatever else runs for this life, at once and without a word to it. */
  readonly endProgram: () => Promise<void>
}

/**
 * Leaves a deployment to its next life: what was decided becomes durable, the program is killed
 * with its calls unanswered (an error would change its course), the deployment is handed over, and
 * the next life is nudged, unless it is to be woken by an end. In case none comes, whoever runs
 * lives looks again after `deadManNudgeMs`. Source: docs/architecture.md#hand-over.
 */
export async function handOverDeployment(
  ports: GeneratorPorts,
  { deployment, writer, watcher, awaited, endProgram }: LeavingRun,
  handOver: HandOver,
): Promise<void> {
  const { stack } = deploymentPartsOf(deployment)
  await writer.seal()
  const listened = [...new Set([...awaited, ...watcher.openWaits()])]
  await endProgram()
  watcher.close()
  await ports.control.handOver(deployment, ports.holder, handOver)
  // An end whose executor did not see yet that nobody listens must not be slept through.
  const isDue = handOver.why === 'limit' || (await isAnyEnded(ports, deployment, listened))
  if (isDue) await ports.nudges.nudge(stack, 0)
}

async function isAnyEnded(
  ports: GeneratorPorts,
  deployment: DeploymentId,
  awaited: ReturnType<EndWatcher['openWaits']>,
): Promise<boolean> {
  for (const ids of toIdBatches(awaited, limits.idsPerReadMax)) {
    const heads = await ports.operations.getHeads(deployment, ids)
    if ([...heads.values()].some(head => head.end !== undefined)) return true
  }
  return false
}
