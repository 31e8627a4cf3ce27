import { createError } from '../../../../errors/error.ts'
import { auditMethods } from './audit-methods.ts'
import { catalogMethods } from './catalog-methods.ts'
import { chainMethods } from './chain-methods.ts'
import { copyMethods } from './copy-methods.ts'
import { controlMethods } from './control-methods.ts'
import { documentMethods } from './document-methods.ts'
import { eventMethods } from './event-methods.ts'
import { inboxMethods } from './inbox-methods.ts'
import { logMethods } from './log-methods.ts'
import type { Method } from './method.ts'
import { operationMethods } from './operation-methods.ts'
import { renameMethods } from './rename-methods.ts'
import { requestMethods } from './request-methods.ts'
import { retentionMethods } from './retention-methods.ts'
import { slowOperationMethods } from './slow-operation-methods.ts'

/** All methods of the store by name, for the process that owns the store and for its clients. */
const storeMethods = {
  ...logMethods,
  ...operationMethods,
  ...controlMethods,
  ...eventMethods,
  ...catalogMethods,
  ...renameMethods,
  ...inboxMethods,
  ...chainMethods,
  ...requestMethods,
  ...retentionMethods,
  ...slowOperationMethods,
  ...documentMethods,
  ...auditMethods,
  ...copyMethods,
}

type StoreMethods = typeof storeMethods

/**
 * The function that calls a method of the store. A change of a record is durable when the call
 * resolves. Throws STORE_UNAVAILABLE, and the errors of the method.
 */
export type StoreCall = <Name extends keyof StoreMethods>(
  name: Name,
  args: Parameters<StoreMethods[Name]['run']>[1],
) => Promise<ReturnType<StoreMethods[Name]['run']>>

/** Returns the method with this name. Throws INTERNAL_ASSERTION for an unknown name. */
export function parseMethod(name: string): Method<unknown, unknown> {
  if (!Object.hasOwn(storeMethods, name)) {
    throw createError('INTERNAL_ASSERTION', `the store has no method ${name}`)
  }
  return storeMethods[name as keyof StoreMethods] as Method<unknown, unknown>
}
