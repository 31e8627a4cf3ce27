import type { CatalogPort } from '../../ports/catalog.ts'
import type { RandomPort } from '../../ports/system.ts'
import { lateOutcomeKeyOf, type LateOutcome } from '../../records/late-outcome.ts'
import type { StoreCall } from './store/methods/store-methods.ts'
import { toStoreError } from './store/store-message.ts'
import { parseRecordJson } from '../records/record-layouts.ts'

/**
 * Creates the catalog over the embedded store. Each creation and each start contains a token,
 * because two callers can send the same arguments. Only a repetition of the same call has the same
 * token, and gets the first result again.
 */
export function createCatalog(call: StoreCall, random: RandomPort): CatalogPort {
  return {
    createStack: (id, createdAt) =>
      call('catalog.createStack', { id, at: createdAt, token: random.uuid() }),
    getStack: async id => (await call('catalog.stack', { id })) ?? undefined,
    listStacks: async project => {
      const { stacks, unreadable } = await call('catalog.stacks', { project: project ?? null })
      const unreadableStacks = unreadable.map(({ id, failure }) => ({
        id,
        reason: toStoreError(failure),
      }))
      return { stacks, unreadable: unreadableStacks }
    },
    removeStack: (id, expected) => call('catalog.removeStack', { id, expected }),
    start: (id, input) => call('catalog.start', { id, start: input, token: random.uuid() }),
    startTargeted: (id, input, claim) =>
      call('catalog.startTargeted', { id, start: input, token: random.uuid(), ...claim }),
    extendClaim: (deployment, claim, expected) =>
      call('catalog.extendClaim', { deployment, claim, expected }),
    publish: (id, expectedVersion, snapshot, publisher) =>
      call('catalog.publish', {
        id,
        expected: expectedVersion,
        snapshot,
        publisher: publisher ?? null,
      }),
    release: async (deployment, end) => void (await call('catalog.release', { deployment, end })),
    putLateOutcome: async (id, lateOutcome) =>
      void (await call('late.put', {
        id,
        key: lateOutcomeKeyOf(lateOutcome),
        item: JSON.stringify(lateOutcome),
      })),
    listLateOutcomes: async (id, limit) =>
      (await call('late.list', { id, limit })).map((item, index) =>
        parseRecordJson({ kind: 'late', keys: { stack: id, index } }, item, isLateOutcome),
      ),
    removeLateOutcomes: async (id, keys) => void (await call('late.remove', { id, keys })),
    recordSlowOperation: async (id, key, durationMs) =>
      void (await call('slow.note', { id, key, ms: durationMs })),
    listSlowOperations: async id => new Map(await call('slow.list', { id })),
    listHistory: (id, limit, before) =>
      call('catalog.history', { id, limit, before: before ?? null }),
    listVersions: (id, limit, before) =>
      call('catalog.versions', { id, limit, before: before ?? null }),
  }
}

function isLateOutcome(value: unknown): value is LateOutcome {
  return typeof value === 'object' && value !== null && 'deployment' in value
}
