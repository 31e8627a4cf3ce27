/**
 * journal: the changes of a stack as Pulumi's serialized entries, and the fold that turns them into
 * the next snapshot. Imports records and below.
 *
 * Invariants: the fold depends on base and records only, never on the time or order of their writes
 * (I6). The fold never modifies its input. Apart from sorting, its time is linear in base and
 * entries.
 */
import * as z from 'zod'
import { createError } from '../errors/error.ts'
import { emptyManifest } from '../state/empty-deployment.ts'
import { storedDeploymentForm, storedResourceForm } from '../state/envelope.ts'
import { documentDepthMax, findDocumentFault } from '../values/nesting.ts'
import type { Json, StoredDeployment, StoredOperation, StoredResource } from '../state/stored.ts'
import { parseForm } from '../values/parse-form.ts'

/**
 * Reference to a state: by its position in the base, or by the operation that recorded it. After an
 * entry `rebuilt-base-state` the position is that in the rebuilt base.
 */
export type EntryReference =
  | { readonly base: number; readonly operation?: undefined }
  | { readonly operation: number; readonly base?: undefined }

/** The secrets manager of a deployment, in the format of state files. */
export interface EntrySecrets {
  readonly type: string
  readonly state?: Json
}

/** The changes of an entry to the list of states: a new state, and states to remove or mark. */
interface StateChanges {
  readonly state?: StoredResource
  /** The state that leaves the list. */
  readonly remove?: EntryReference
  /** The state that gets the mark `delete`, as the old copy of a replaced resource. */
  readonly delete?: EntryReference
  /** The state that gets the mark `pendingReplacement`. */
  readonly pendingReplacement?: EntryReference
  /** Set for every refresh, because the entry of a refresh may also have the kind `success`. */
  readonly isRefresh?: boolean
}

/**
 * Kinds of entries and their contents (docs/spec/journal.md#serialized-entry,
 * docs/spec/journal.md#replay-of-entries).
 */
export type EntryContent =
  | { readonly kind: 'begin'; readonly pending?: StoredOperation }
  | ({ readonly kind: 'success' } & StateChanges)
  | { readonly kind: 'failure' }
  | ({ readonly kind: 'refresh-success' } & StateChanges)
  | ({ readonly kind: 'outputs' } & StateChanges)
  | { readonly kind: 'write'; readonly snapshot: StoredDeployment }
  | { readonly kind: 'secrets-manager'; readonly secretsProvider?: EntrySecrets }
  | { readonly kind: 'rebuilt-base-state' }
  | { readonly kind: 'extension-parameterize'; readonly ref: string; readonly extension: Json }
  | { readonly kind: 'snippets'; readonly snippets: readonly Json[] }

/**
 * A journal entry. `sequence` is unique and defines the order. `operation` is 0 outside of steps.
 */
export type JournalEntry = EntryContent & {
  readonly sequence: number
  readonly operation: number
  /** True when the entry contains a string that is not UTF-8. */
  readonly requiresByteString?: boolean
}

/** The kinds in the order of their numbers in Pulumi's format. */
const entryKinds = [
  'begin',
  'success',
  'failure',
  'refresh-success',
  'outputs',
  'write',
  'secrets-manager',
  'rebuilt-base-state',
  'extension-parameterize',
  'snippets',
] as const satisfies readonly JournalEntry['kind'][]

/**
 * Encodes an entry in Pulumi's format: fields in Pulumi's order, `removeOld` and `removeNew` always
 * present.
 */
export function encodeEntry(entry: JournalEntry): { readonly [field: string]: Json } {
  const changes: StateChanges = mayHaveChanges(entry) ? entry : {}
  const { remove, delete: deletedReference, pendingReplacement, state, isRefresh } = changes
  const fields = {
    version: 1,
    kind: entryKinds.indexOf(entry.kind),
    sequenceID: entry.sequence,
    operationID: entry.operation,
    removeOld: remove?.base ?? null,
    removeNew: remove?.operation ?? null,
    pendingReplacementOld: pendingReplacement?.base,
    pendingReplacementNew: pendingReplacement?.operation,
    deleteOld: deletedReference?.base,
    deleteNew: deletedReference?.operation,
    state,
    operation: entry.kind === 'begin' ? entry.pending : undefined,
    isRefresh: isRefresh === true ? true : undefined,
    secretsProvider: entry.kind === 'secrets-manager' ? entry.secretsProvider : undefined,
    snippets: entry.kind === 'snippets' ? entry.snippets : undefined,
    newSnapshot: entry.kind === 'write' ? entry.snapshot : undefined,
    extensionRef: entry.kind === 'extension-parameterize' ? entry.ref : undefined,
    extension: entry.kind === 'extension-parameterize' ? entry.extension : undefined,
    requiresByteString: entry.requiresByteString === true ? true : undefined,
  }
  const presentFields = Object.entries(fields).filter(([, value]) => value !== undefined)
  return Object.fromEntries(presentFields) as { readonly [field: string]: Json }
}

function mayHaveChanges(entry: JournalEntry): entry is JournalEntry & StateChanges {
  return entry.kind === 'success' || entry.kind === 'refresh-success' || entry.kind === 'outputs'
}

const indexForm = z.int().nonnegative().nullish()

const entryForm = z.looseObject({
  version: z.literal(1),
  kind: z.int().nonnegative().lt(entryKinds.length),
  sequenceID: z.int(),
  operationID: z.int(),
  removeOld: indexForm,
  removeNew: indexForm,
  pendingReplacementOld: indexForm,
  pendingReplacementNew: indexForm,
  deleteOld: indexForm,
  deleteNew: indexForm,
  state: storedResourceForm.nullish(),
  operation: z.looseObject({ resource: storedResourceForm, type: z.string() }).nullish(),
  isRefresh: z.boolean().nullish(),
  secretsProvider: z.looseObject({ type: z.string() }).nullish(),
  snippets: z.array(z.unknown()).nullish(),
  newSnapshot: storedDeploymentForm.nullish(),
  extensionRef: z.string().nullish(),
  extension: z.unknown().optional(),
  requiresByteString: z.boolean().nullish(),
})

/** Decodes an entry from its serialized form. Throws STATE_INVALID. */
export function decodeEntry(json: unknown): JournalEntry {
  const fault = findDocumentFault(json, documentDepthMax)
  if (fault !== undefined)
    throw createError(
      'STATE_INVALID',
      fault === 'depth'
        ? `a journal entry is nested deeper than ${documentDepthMax} levels`
        : 'a number of a journal entry exceeds the range of a double',
    )
  const result = parseForm(entryForm, json)
  if (!result.success)
    throw createError(
      'STATE_INVALID',
      `a journal entry is malformed: ${z.prettifyError(result.error)}`,
    )
  const raw = json as z.infer<typeof entryForm>
  return {
    sequence: raw.sequenceID,
    operation: raw.operationID,
    ...(raw.requiresByteString === true ? { requiresByteString: true } : {}),
    ...contentOf(raw),
  }
}

function contentOf(raw: z.infer<typeof entryForm>): EntryContent {
  const kind = entryKinds[raw.kind]
  switch (kind) {
    case 'begin':
      return {
        kind,
        ...(raw.operation ? { pending: raw.operation as unknown as StoredOperation } : {}),
      }
    case 'success':
    case 'refresh-success':
    case 'outputs':
      return { kind, ...changesOf(raw) }
    case 'write':
      return { kind, snapshot: deploymentOf(raw.newSnapshot) }
    case 'secrets-manager':
      return {
        kind,
        ...(raw.secretsProvider ? { secretsProvider: raw.secretsProvider } : {}),
      }
    case 'extension-parameterize':
      return { kind, ref: raw.extensionRef ?? '', extension: (raw.extension ?? null) as Json }
    case 'snippets':
      return { kind, snippets: (raw.snippets ?? []) as readonly Json[] }
    case 'failure':
    case 'rebuilt-base-state':
      return { kind }
    case undefined:
      throw createError('STATE_INVALID', `a journal entry has the unknown kind ${raw.kind}`)
    default:
      return kind satisfies never
  }
}

function changesOf(raw: z.infer<typeof entryForm>): StateChanges {
  const { state } = raw
  return {
    ...(state
      ? { state: { ...(state as unknown as StoredResource), custom: state.custom === true } }
      : {}),
    ...readReference('remove', raw.removeOld, raw.removeNew),
    ...readReference('delete', raw.deleteOld, raw.deleteNew),
    ...readReference('pendingReplacement', raw.pendingReplacementOld, raw.pendingReplacementNew),
    ...(raw.isRefresh === true ? { isRefresh: true } : {}),
  }
}

function readReference(
  field: 'remove' | 'delete' | 'pendingReplacement',
  baseIndex: number | null | undefined,
  operation: number | null | undefined,
): StateChanges {
  if (typeof baseIndex === 'number') return { [field]: { base: baseIndex } }
  if (typeof operation === 'number') return { [field]: { operation } }
  return {}
}

function deploymentOf(
  raw: z.infer<typeof storedDeploymentForm> | null | undefined,
): StoredDeployment {
  const { manifest, resources, pending_operations: pending, metadata, snippets } = raw ?? {}
  const fields = {
    ...raw,
    manifest: { ...emptyManifest, ...manifest },
    resources: resources ?? undefined,
    pending_operations: pending ?? undefined,
    metadata: metadata ?? {},
    snippets: snippets ?? undefined,
  }
  const presentFields = Object.entries(fields).filter(([, value]) => value != null)
  return Object.fromEntries(presentFields) as unknown as StoredDeployment
}
