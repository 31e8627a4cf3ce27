import type { ShownOperation } from '../api/operation-views.ts'

/** The operations of a deployment, as they were read last. */
export interface OperationStore {
  /** Replaces operations by newer ones, and appends unknown ones. */
  readonly merge: (items: readonly ShownOperation[]) => void
  /** Returns all operations. The list is the same object until operations are merged. */
  readonly read: () => readonly ShownOperation[]
  readonly find: (id: number) => ShownOperation | undefined
}

/** Creates a store without operations. An unchanged operation stays the same object. */
export function createOperationStore(): OperationStore {
  const indicesById = new Map<number, number>()
  const operations: ShownOperation[] = []
  let list: readonly ShownOperation[] = []
  return {
    merge(items) {
      for (const item of items) {
        const index = indicesById.get(item.id) ?? operations.length
        indicesById.set(item.id, index)
        operations[index] = item
      }
      if (items.length > 0) list = [...operations]
    },
    read: () => list,
    find: id => operations[indicesById.get(id) ?? -1],
  }
}
