import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import { renameStackInState } from '../../shared/state/edits/rename-stack-in-state.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'
import type { SourceStack } from './read-source-stack.ts'

/**
 * Returns a stack of a backend under the new id `target`. The URNs in its current and past states
 * get the new names too.
 */
export function renameSource(source: SourceStack, target: StackId): SourceStack {
  if (source.id === target) return source
  const [from, to] = [stackPartsOf(source.id), stackPartsOf(target)]
  const rename = (state: StoredDeployment): StoredDeployment => renameStackInState(state, from, to)
  return {
    id: target,
    state: source.state === null ? null : rename(source.state),
    history: source.history.map(({ info, readState }) => ({
      info,
      readState: async () => {
        const envelope = await readState()
        const deployment = envelope?.deployment ?? undefined
        return envelope === undefined || deployment === undefined
          ? envelope
          : { ...envelope, deployment: rename(deployment) }
      },
    })),
  }
}
