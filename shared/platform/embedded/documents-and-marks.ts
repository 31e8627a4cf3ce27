import type {
  DocumentsPort,
  ExpiringDocument,
  MarksPort,
  StoredDocument,
} from '../../ports/documents.ts'
import type { ClockPort, RandomPort } from '../../ports/system.ts'
import { serializeDocument } from '../records/document-text.ts'
import { toStoreError } from './store/store-message.ts'
import type { StoreCall } from './store/methods/store-methods.ts'

/**
 * Creates the port for documents over the embedded store. A token in each put identifies its
 * repetitions.
 */
export function createDocuments(
  call: StoreCall,
  { random, clock }: { readonly random: RandomPort; readonly clock: Pick<ClockPort, 'now'> },
): DocumentsPort {
  const put = async (document: StoredDocument & Partial<ExpiringDocument>) => {
    const { key, value, version, expiresAt } = document
    return call('documents.put', {
      key,
      value: serializeDocument(key, value),
      expected: version,
      token: random.uuid(),
      expiresAt: expiresAt ?? null,
      now: clock.now(),
    })
  }
  return {
    get: async key => (await call('documents.get', { key, now: clock.now() })) ?? undefined,
    put: (key, value, expectedVersion) => put({ key, value, version: expectedVersion }),
    putExpiring: put,
    remove: (key, version) => call('documents.remove', { key, version }),
    list: async (kind, cursor, scope) => {
      const page = await call('documents.list', {
        kind,
        cursor,
        scope: scope ?? null,
        now: clock.now(),
      })
      const unreadable = page.unreadable.map(({ key, failure }) => ({
        key,
        reason: toStoreError(failure),
      }))
      return { documents: page.documents, unreadable, next: page.next ?? undefined }
    },
  }
}

/** Creates the port for marks, which exist until they expire, over the embedded store. */
export function createMarks(
  call: StoreCall,
  { random, clock }: { readonly random: RandomPort; readonly clock: Pick<ClockPort, 'now'> },
): MarksPort {
  return {
    mark: (key, expiresAt) =>
      call('marks.mark', { key, until: expiresAt, now: clock.now(), token: random.uuid() }),
    isMarked: key => call('marks.isMarked', { key, now: clock.now() }),
    unmark: async key => void (await call('marks.unmark', { key })),
  }
}
