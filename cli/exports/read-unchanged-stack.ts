import type { EnginePort } from '../../local/engine-port.ts'
import { createError, hasCode } from '../../shared/errors/error.ts'
import type { StackRecord } from '../../shared/ports/catalog.ts'
import type { StackId } from '../../shared/records/ids.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'

/** The number of attempts to read a stack between two of its changes. */
const attemptsMax = 5

/** A stack whose record did not change while its state and its other contents were read. */
interface UnchangedStack<Contents> {
  readonly record: StackRecord
  readonly state: StoredDeployment | undefined
  readonly contents: Contents
}

/**
 * Reads the record and the state of a stack, and its other contents with `readContents`. Repeats
 * all reads if the version or the open deployment changed meanwhile. Returns undefined for a stack
 * that no longer exists. Throws STORE_CONFLICT after the last attempt.
 */
export async function readUnchangedStack<Contents>(
  {
    platform: { catalog },
    exportState,
  }: { readonly platform: Pick<EnginePort['platform'], 'catalog'> } & Pick<
    EnginePort,
    'exportState'
  >,
  id: StackId,
  readContents: () => Promise<Contents>,
): Promise<UnchangedStack<Contents> | undefined> {
  let previousRecord = await catalog.getStack(id)
  for (let attempt = 1; attempt <= attemptsMax; attempt += 1) {
    if (previousRecord === undefined) return undefined
    try {
      const [state, contents] = [await exportState(id), await readContents()]
      const record = await catalog.getStack(id)
      if (record?.version === previousRecord.version && record.current === previousRecord.current)
        return { record, state, contents }
      previousRecord = record
    } catch (thrown) {
      if (!hasCode(thrown, 'STACK_NOT_FOUND')) throw thrown
      previousRecord = await catalog.getStack(id)
    }
  }
  throw createError('STORE_CONFLICT', `the stack ${id} changed during each attempt to export it`, {
    hint: 'Run the command again when the stack has fewer deployments.',
  })
}
