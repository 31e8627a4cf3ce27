import * as z from 'zod'
import type { DocumentKey, StoredDocument } from '../../shared/ports/documents.ts'
import { requireStack } from '../../shared/runtime/state/export-state.ts'
import type { Role } from '../../shared/api/authorization.ts'
import {
  type ApiPorts,
  defineRoute,
  type Route,
  type RouteCall,
} from '../../shared/api/define-route.ts'
import {
  documentViewOf,
  listDocuments,
  putDocument,
  removeDocument,
  requireDocument,
} from '../../shared/api/document-store.ts'
import { pageQuery } from '../../shared/api/pages.ts'

const documentViewForm = z.object({
  name: z.string(),
  stack: z.string(),
  version: z.number(),
  value: z.unknown(),
})
const documentPageForm = z.object({
  items: z.array(documentViewForm),
  unreadable: z.array(z.object({ name: z.string(), code: z.string() })),
  next: z.string().optional(),
})
type Params = RouteCall<unknown, unknown>['params']

/** The documents of one kind below one path, and the functions that store and show them. */
export interface DocumentCollection<Draft extends z.ZodType> {
  readonly path: string
  readonly scope: Route['scope']
  /** See `Route`. */
  readonly isForAllGroups?: boolean
  /** The word for one document of the collection in summaries, such as `webhook`. */
  readonly noun: string
  readonly readRole: Role
  readonly writeRole: Role
  /** The roles that certain fields of a draft require, if they are higher than `writeRole`. */
  readonly fieldRoles?: Route['fieldRoles']
  /** The form of the body with which callers create or update a document. */
  readonly draft: Draft
  readonly keyOf: (params: Params) => DocumentKey
  /** Returns the value to store for a draft. */
  readonly createValue: (
    ports: ApiPorts,
    key: DocumentKey,
    draft: z.infer<Draft>,
    previous: StoredDocument | undefined,
  ) => Promise<unknown>
  /** Returns the value of the document for callers, without secrets. */
  readonly show: (stored: StoredDocument) => unknown
  /**
   * Removes the resources that belong to a value, such as the calls that EventBridge Scheduler
   * makes for a schedule. The value is no longer stored, or was never stored.
   */
  readonly removeRelated?: (ports: ApiPorts, value: unknown) => Promise<void>
  /** Runs after a document was stored. After a failure, the caller repeats the put. */
  readonly afterPut?: (ports: ApiPorts, key: DocumentKey) => Promise<void>
}

/** Creates the routes that list, read, put and remove the documents of a collection. */
export function createCollectionRoutes<Draft extends z.ZodType>(
  collection: DocumentCollection<Draft>,
): readonly Route[] {
  const { path, noun, readRole, writeRole, draft, keyOf, createValue, show } = collection
  const { scope, isForAllGroups = false, fieldRoles = {} } = collection
  const removerOf = (ports: ApiPorts) => async (value: unknown) =>
    collection.removeRelated?.(ports, value)
  const documentPath = `${path}/{name}`
  return [
    defineRoute({
      method: 'GET',
      path,
      role: readRole,
      ...{ scope, isForAllGroups },
      summary: `List ${noun}s`,
      query: z.object({ cursor: pageQuery.cursor }),
      output: documentPageForm,
      run: async (ports, { params, query: { cursor } }) => {
        const key = keyOf(params)
        const listQuery = { kind: key.kind, scope: key.scope, cursor }
        return { json: await listDocuments(ports, listQuery, show) }
      },
    }),
    defineRoute({
      method: 'GET',
      path: documentPath,
      role: readRole,
      ...{ scope, isForAllGroups },
      summary: `A ${noun}`,
      output: documentViewForm,
      run: async (ports, { params }) => ({
        json: documentViewOf(await requireDocument(ports, keyOf(params)), show),
      }),
    }),
    defineRoute({
      method: 'PUT',
      path: documentPath,
      role: writeRole,
      ...{ scope, isForAllGroups, fieldRoles },
      summary: `Create or update a ${noun}; its secrets are never shown again`,
      body: draft,
      output: documentViewForm.extend({ created: z.boolean() }),
      run: async (ports, { params, body }) => {
        const key = keyOf(params)
        if (key.scope !== '*') await requireStack(ports, key.scope)
        const change = {
          createValue: (previous: StoredDocument | undefined) =>
            createValue(ports, key, body, previous),
          show,
          removeRelated: removerOf(ports),
        }
        const json = await putDocument(ports, key, change)
        await collection.afterPut?.(ports, key)
        return { json }
      },
    }),
    defineRoute({
      method: 'DELETE',
      path: documentPath,
      role: writeRole,
      ...{ scope, isForAllGroups },
      summary: `Remove a ${noun}`,
      output: z.object({ removed: z.boolean() }),
      run: async (ports, { params }) => {
        await removeDocument(ports, keyOf(params), removerOf(ports))
        return { json: { removed: true } }
      },
    }),
  ]
}

/** Returns the name of a document in a path. */
export function documentNameOf(params: Params): string {
  return params['name'] ?? ''
}
