import { runDeployment } from '../functions/step-generator/handle.ts'
import type { StartedDeployment } from '../functions/step-generator/start.ts'
import { providerIn } from '../shared/engine/deployment/left-behind.ts'
import { createSealing } from '../shared/engine/deployment/sealing.ts'
import { readSnapshotBlob } from '../shared/engine/deployment/snapshot-blob.ts'
import type { StepEmitter } from '../shared/engine/events/step-emitter.ts'
import type { Base } from '../shared/engine/deployment/base.ts'
import type { DeployResult, RunningDeployment } from '../shared/engine/request.ts'
import { deploymentPartsOf, type DeploymentId } from '../shared/records/ids.ts'
import { startExecutor } from './executor-loop.ts'
import { resultOf, summary } from './result.ts'
import { type Asked, type Surroundings, tearDown } from './surroundings.ts'

/** How often a living deployment looks whether someone else asked it to stop, in ms. */
const stopLookMs = 1_000

/** A deployment: its executor beside it, its stop flag watched. */
export function deploymentRun(
  asked: Asked,
  surroundings: Surroundings,
  { started, startedAt }: { readonly started: StartedDeployment; readonly startedAt: number },
): RunningDeployment {
  const { platform, ports } = asked
  const { life, emitter, baseNow, told } = surroundings
  const { deployment } = started
  let isCancelled = false
  const cancel = (): void => {
    if (isCancelled) return
    isCancelled = true
    life.abort()
    platform.control.stop(deployment, 'graceful').catch(thrown => life.abort(thrown))
    void surroundings.plugins.cancelAll()
  }
  const endWatching = platform.clock.every(stopLookMs, () => {
    platform.control.read(deployment).then(
      control => {
        if (control !== undefined && control.stop !== 'none' && isOpen && !life.hasStopped())
          cancel()
      },
      () => undefined,
    )
  })
  let isOpen = true
  const run = async (): Promise<DeployResult> => {
    const executor = await executorOf(asked, surroundings, started)
    try {
      if (started.closed !== undefined) tellClosed(emitter, started.closed)
      for (const sentence of started.told) emitter.diagnostic('warning', sentence)
      warnOfPending(emitter, started.base)
      const rebase = (base: Base): void => {
        baseNow.current = base
      }
      const closing = (): boolean => {
        isOpen = false
        return isCancelled
      }
      const ended = await runDeployment(ports, started, life, {
        isCancelled: closing,
        rebase,
        told,
      })
      const left = await pendingOf(asked)
      summary(surroundings, {
        startedMs: startedAt,
        nowMs: platform.clock.monotonicMs(),
        result: ended.result,
        isPreview: false,
      })
      if (ended.fault !== undefined && !isCancelled) throw ended.fault
      return resultOf(emitter, ended.result, left)
    } finally {
      endWatching()
      await executor?.end()
      await tearDown(surroundings)
    }
  }
  const terminate = (): void => {
    isCancelled = true
    life.abort()
    void platform.control.stop(deployment, 'forced').catch(() => undefined)
    surroundings.plugins.abandon()
    void surroundings.processes.close()
  }
  return { done: run(), cancel, terminate }
}

/** The executor of this process, unless other processes run the operations. */
async function executorOf(
  asked: Asked,
  surroundings: Surroundings,
  started: StartedDeployment,
): Promise<Awaited<ReturnType<typeof startExecutor>> | undefined> {
  const { baseNow } = surroundings
  baseNow.current = started.base
  if (started.left !== undefined)
    baseNow.madeBefore = providerIn(started.left, createSealing(asked.request.secrets))
  if (started.pin.options.execute === 'elsewhere') {
    const message =
      'The operations are left to processes of `antichain serve`: without one nothing is done.'
    surroundings.emitter.diagnostic('info', message)
    return undefined
  }
  return startExecutor(asked, surroundings, started)
}

function tellClosed(emitter: StepEmitter, closed: DeploymentId): void {
  const { number } = deploymentPartsOf(closed)
  const message =
    `Deployment ${number} of this stack was interrupted and is closed now: what it did is in the ` +
    'state, and this deployment does the rest. (`antichain resume` would have gone on with it.)'
  emitter.diagnostic('info', message)
}

function warnOfPending(emitter: StepEmitter, base: Base): void {
  const pending = base.snapshot.pendingOperations
  if (pending.length === 0) return
  const lines = pending.map(
    ({ resource, type }) => `  * ${resource.urn}, interrupted while ${type}`,
  )
  const message = [
    `Attempting to deploy or update resources with ${pending.length} pending operations from previous deployment.`,
    ...lines,
    'These resources are in an unknown state because a deployment was interrupted while it changed them. ' +
      'Find out what became of them; `antichain state pending import` or `clear` settles each.',
  ].join('\n')
  emitter.diagnostic('warning', message)
}

async function pendingOf({ platform, request }: Asked): Promise<DeployResult['pending']> {
  const record = await platform.catalog.stack(request.stack)
  if (record === undefined || record.snapshot === '') return []
  const stored = await readSnapshotBlob(platform.blobs, record.snapshot)
  return (stored.pending_operations ?? []).map(({ resource, type }) => ({
    urn: resource.urn,
    type,
  }))
}
