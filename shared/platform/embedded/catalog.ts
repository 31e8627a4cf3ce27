import type { CatalogPort } from '../../ports/catalog.ts'
import type { RandomPort } from '../../ports/system.ts'
import { lateKeyOf, type LateOutcome } from '../../records/late-outcome.ts'
import type { StoreCall } from './store/methods/store-methods.ts'
import { errorFromFailure } from './store/store-message.ts'
import { parseRecordJson } from '../records/record-forms.ts'

/**
 * Creates the catalog over the embedded store. Each creation carries a token. Two callers may send
 * the same arguments, but only a repetition of the same call gets the first result again.
 */
export function createCatalog(call: StoreCall, random: RandomPort): CatalogPort {
  return {
    createStack: (id, at) => call('catalog.createStack', { id, at, token: random.uuid() }),
    getStack: async id => (await call('catalog.stack', { id })) ?? undefined,
    listStacks: async project => {
      const { stacks, unreadable } = await call('catalog.stacks', { project: project ?? null })
      const named = unreadable.map(({ id, failure }) => ({ id, why: errorFromFailure(failure) }))
      return { stacks, unreadable: named }
    },
    removeStack: id => call('catalog.removeStack', { id }),
    start: (id, input) => call('catalog.start', { id, start: input, token: random.uuid() }),
    publish: (id, expected, snapshot) => call('catalog.publish', { id, expected, snapshot }),
    release: async (deployment, end) => void (await call('catalog.release', { deployment, end })),
    putLate: async (id, item) =>
      void (await call('late.put', { id, key: lateKeyOf(item), item: JSON.stringify(item) })),
    listLate: async (id, limit) =>
      (await call('late.list', { id, limit })).map((item, at) =>
        parseRecordJson({ kind: 'late', keys: { stack: id, place: at } }, item, isLate),
      ),
    removeLate: async (id, keys) => void (await call('late.remove', { id, keys })),
    noteSlow: async (id, key, ms) => void (await call('slow.note', { id, key, ms })),
    listSlow: async id => new Map(await call('slow.list', { id })),
    listHistory: (id, limit, before) =>
      call('catalog.history', { id, limit, before: before ?? null }),
    listVersions: (id, limit, before) =>
      call('catalog.versions', { id, limit, before: before ?? null }),
  }
}

function isLate(value: unknown): value is LateOutcome {
  return typeof value === 'object' && value !== null && 'deployment' in value
}
