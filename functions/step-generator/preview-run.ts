import { Bail } from '../../shared/engine/generator/context.ts'
import { readState, writerVersion } from '../compaction/handle.ts'
import type { StepEmitter } from '../../shared/engine/events/step-emitter.ts'
import { deploymentPartsOf, type DeploymentId } from '../../shared/records/ids.ts'
import { baseOf } from '../../shared/engine/deployment/base.ts'
import { previewCommand } from '../../shared/engine/commands/preview-command.ts'
import type { DeployResult, RunningDeployment } from '../../shared/engine/request.ts'
import { error, messageOf } from '../../shared/errors/error.ts'
import { decodeSnapshot, manifestOf } from '../../shared/state/deployment.ts'
import { printPlan } from '../../shared/engine/plan/plan-file.ts'
import { timestampOf } from '../../shared/state/timestamp.ts'
import type { Json } from '../../shared/values/json.ts'
import { requireUsable } from './require-usable.ts'
import { standingNow } from './standing.ts'
import { resultOf, summary } from './result.ts'
import { type Asked, type Surroundings, tearDown } from '../surroundings/surround.ts'

/** A preview: the base as it stands, no records, no lock (I11). */
export function previewRun(
  asked: Asked,
  surroundings: Surroundings,
  startedAt: number,
): RunningDeployment {
  const { platform, request } = asked
  const { life, emitter, baseNow } = surroundings
  let isCancelled = false
  const run = async (): Promise<DeployResult> => {
    try {
      const record = await platform.catalog.stack(request.stack)
      if (record === undefined)
        throw error('STACK_NOT_FOUND', `there is no stack '${request.stack}'`)
      if (record.current !== '') await tellInterrupted(asked, emitter, record.current)
      const stored = await readState(platform, record)
      requireUsable(stored)
      const base = baseOf(decodeSnapshot(stored, request.secrets), 1)
      baseNow.current = base
      const isWhole = await previewCommand(life, base).catch(thrown => {
        // What ended it early was told already.
        if (!(thrown instanceof Bail)) emitter.diagnostic('error', messageOf(thrown))
        return false
      })
      const result = isCancelled
        ? 'cancelled'
        : isWhole && !life.hasFailed() && life.fault() === undefined
          ? 'succeeded'
          : 'failed'
      summary(surroundings, {
        startedMs: startedAt,
        nowMs: platform.clock.monotonicMs(),
        result,
        isPreview: true,
      })
      if (life.fault() !== undefined && !isCancelled) throw life.fault()
      return { ...resultOf(emitter, result, []), ...planOf(asked, life, result) }
    } finally {
      await tearDown(surroundings)
    }
  }
  const stop = (): void => {
    isCancelled = true
    life.abort()
    void surroundings.plugins.cancelAll()
  }
  return { done: run(), cancel: stop, terminate: stop }
}

/** The file of the plan that was to be drawn. */
function planOf(
  { platform, request }: Asked,
  life: Surroundings['life'],
  result: DeployResult['result'],
): Pick<DeployResult, 'plan'> {
  const drawn = life.drawnPlan()
  if (drawn === undefined || result !== 'succeeded') return {}
  const manifest = manifestOf(writerVersion, timestampOf(platform.clock.now()))
  const { encrypt } = request.secrets.crypter
  const config = Object.fromEntries(
    [...request.config].map(([key, { text, secret, object }]) => [
      key,
      secret ? { secure: encrypt(text) } : object ? (JSON.parse(text) as Json) : text,
    ]),
  )
  return { plan: printPlan(drawn, { manifest, config, encrypt }) }
}

/** A preview is shown upon what a dead deployment did; somebody has to decide how it goes on. */
async function tellInterrupted(
  { ports }: Asked,
  emitter: StepEmitter,
  deployment: DeploymentId,
): Promise<void> {
  const standing = await standingNow(ports, deploymentPartsOf(deployment).stack)
  if (standing.kind === 'none') return
  const { kind, number } = standing
  const message =
    kind === 'running'
      ? `Deployment ${number} of this stack is under way: what it has done so far is taken as done.`
      : kind === 'ending'
        ? `Deployment ${number} of this stack was interrupted when it was ending: \`antichain up\` closes it.`
        : `Deployment ${number} of this stack was interrupted. ` +
          '`antichain resume` goes on with it; `antichain up` closes it and starts anew.'
  emitter.diagnostic('warning', message)
}
