import { decidingMutations } from './deciding.ts'
import { executingMutations } from './executing.ts'
import { foldingMutations } from './folding.ts'
import { groupMutations } from './groups.ts'
import { laterGroupMutations } from './later-groups.ts'
import { handOverMutations } from './hand-over.ts'
import type { Mutation } from './mutation.ts'
import { adapterMutations } from './adapters.ts'
import { platformMutations } from './platform.ts'
import { recoveringMutations } from './recovering.ts'
import { storeMutations } from './store.ts'

/** All mutations. */
export const mutations: readonly Mutation[] = [
  ...platformMutations,
  ...adapterMutations,
  ...storeMutations,
  ...executingMutations,
  ...recoveringMutations,
  ...decidingMutations,
  ...foldingMutations,
  ...handOverMutations,
  ...groupMutations,
  ...laterGroupMutations,
]
