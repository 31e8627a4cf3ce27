import type { DocumentsPort, MarksPort } from '../../ports/documents.ts'
import type { ClockPort, RandomPort } from '../../ports/system.ts'
import { serializeDocument } from '../records/document-text.ts'
import { errorFromFailure } from './store/store-message.ts'
import type { StoreCall } from './store/methods/store-methods.ts'

/**
 * Creates the documents over the embedded store. Every put carries a token, as in the catalog.
 */
export function createDocuments(call: StoreCall, random: RandomPort): DocumentsPort {
  return {
    get: async key => (await call('documents.get', { key })) ?? undefined,
    put: async (key, value, expectedVersion) => {
      const text = serializeDocument(key, value)
      return call('documents.put', {
        key,
        value: text,
        expected: expectedVersion,
        token: random.uuid(),
      })
    },
    remove: (key, version) => call('documents.remove', { key, version }),
    list: async (kind, cursor, scope) => {
      const page = await call('documents.list', { kind, cursor, scope: scope ?? null })
      const unreadable = page.unreadable.map(({ key, failure }) => ({
        key,
        reason: errorFromFailure(failure),
      }))
      return { documents: page.documents, unreadable, next: page.next ?? undefined }
    },
  }
}

/** Creates the marks over the embedded store. */
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
