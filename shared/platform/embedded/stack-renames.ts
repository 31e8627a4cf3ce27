import type { StackRenames } from '../../ports/stack-renames.ts'
import type { RandomPort } from '../../ports/system.ts'
import type { StoreCall } from './store/methods/store-methods.ts'

/**
 * Creates the renames over the embedded store. Each rename is one transaction. It ignores
 * `placements`, the names of calls at an external scheduler: processes check schedules themselves.
 */
export function createStackRenames(call: StoreCall, random: RandomPort): StackRenames {
  return {
    rename: (id, newId, { expectedVersion: expected, snapshot, program, at, by, key = '' }) =>
      call('catalog.renameStack', {
        id,
        to: newId,
        expected,
        snapshot,
        program,
        at,
        by,
        key,
        token: random.uuid(),
      }),
  }
}
