import type { Urn } from '../../../names/urn.ts'
import type { GeneratorContext } from '../context.ts'
import { resumeRecorded } from '../replay/resume-recorded.ts'
import { toDecided, type Result, stoppedResult } from '../stage.ts'

/**
 * Reports whether the replacement of another resource has deleted the resource of this URN. Waits
 * for a delete that has not ended. Returns false if the delete failed.
 */
export async function isDeletedByReplacement(
  ctx: GeneratorContext,
  urn: Urn,
): Promise<Result<boolean>> {
  const { sets } = ctx.input
  const { replay, whenAborted, isAborted } = ctx.ports
  if (!sets.deletedUrns.has(urn)) return toDecided(false)
  const pendingDelete = sets.pendingDeletes.get(urn)
  const recordedDelete =
    pendingDelete === undefined ? replay?.deleteBeforeReplaceOf(urn) : undefined
  const deleteEnd =
    replay === undefined || recordedDelete === undefined
      ? pendingDelete?.promise
      : resumeRecorded(ctx, replay, recordedDelete)
  await Promise.race([deleteEnd, whenAborted])
  if (isAborted()) return stoppedResult
  return toDecided(sets.deletedUrns.has(urn))
}
