import type { Urn } from '../../../names/urn.ts'
import type { GeneratorContext } from '../context.ts'
import { resumeRecorded } from '../replay/resume-recorded.ts'
import { decided, type Result, stopped } from '../stage.ts'

/**
 * Reports whether the replacement of another resource deleted this URN first. Awaits that delete:
 * when it fails, the resource is decided like any other.
 */
export async function isDeletedElsewhere(
  ctx: GeneratorContext,
  urn: Urn,
): Promise<Result<boolean>> {
  const { sets } = ctx.input
  const { replay, aborted, isAborted } = ctx.ports
  if (!sets.deletes.has(urn)) return decided(false)
  const pending = sets.pendingDeletes.get(urn)
  const recorded = pending === undefined ? replay?.deleteBeforeReplaceOf(urn) : undefined
  const ended =
    replay === undefined || recorded === undefined
      ? pending?.promise
      : resumeRecorded(ctx, replay, recorded)
  await Promise.race([ended, aborted])
  if (isAborted()) return stopped
  return decided(sets.deletes.has(urn))
}
