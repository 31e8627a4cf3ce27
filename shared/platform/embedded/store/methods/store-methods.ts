import { error } from '../../../../errors/error.ts'
import { auditMethods } from './audit-methods.ts'
import { catalogMethods } from './catalog-methods.ts'
import { chainMethods } from './chain-methods.ts'
import { controlMethods } from './control-methods.ts'
import { documentMethods } from './document-methods.ts'
import { eventMethods } from './event-methods.ts'
import { lateMethods } from './late-methods.ts'
import { logMethods } from './log-methods.ts'
import type { Method } from './method.ts'
import { operationMethods } from './operation-methods.ts'
import { renameMethods } from './rename-methods.ts'
import { requestMethods } from './request-methods.ts'
import { retentionMethods } from './retention-methods.ts'
import { slowMethods } from './slow-methods.ts'

/** Everything that the store can be asked, by name; the same for the owner and over the socket. */
const storeMethods = {
  ...logMethods,
  ...operationMethods,
  ...controlMethods,
  ...eventMethods,
  ...catalogMethods,
  ...renameMethods,
  ...lateMethods,
  ...chainMethods,
  ...requestMethods,
  ...retentionMethods,
  ...slowMethods,
  ...documentMethods,
  ...auditMethods,
}

type StoreMethods = typeof storeMethods

/** Asks the store: durable when it resolves. Throws STORE_UNAVAILABLE. */
export type StoreCall = <Name extends keyof StoreMethods>(
  name: Name,
  args: Parameters<StoreMethods[Name]['run']>[1],
) => Promise<ReturnType<StoreMethods[Name]['run']>>

/** The method of a name that came in a message. */
export function parseMethod(name: string): Method<unknown, unknown> {
  if (!Object.hasOwn(storeMethods, name)) {
    throw error('INTERNAL_ASSERTION', `the store has no method ${name}`)
  }
  return storeMethods[name as keyof StoreMethods] as Method<unknown, unknown>
}
