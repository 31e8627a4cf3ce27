import type { StackRenames } from '../../ports/stack-renames.ts'
import type { RandomPort } from '../../ports/system.ts'
import type { StoreCall } from './store/methods/store-methods.ts'

/**
 * Creates the renames of a store. Each is one transaction. The process checks schedules itself, so
 * they need no placements.
 */
export function createStackRenames(call: StoreCall, random: RandomPort): StackRenames {
  return {
    rename: (id, newId, { expected, snapshot, program, at, key = '' }) =>
      call('catalog.renameStack', {
        ...{ id, to: newId, expected, snapshot, program, at, key },
        token: random.uuid(),
      }),
  }
}
