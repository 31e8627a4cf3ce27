import * as z from 'zod'
import type { StoredDeployment } from '../stored.ts'

/** Maximum length of a URN, id or name in an edit. */
const textCharsMax = 2_000

/** Maximum number of URNs in an edit. */
const urnsMax = 1_000

const textForm = z.string().max(textCharsMax)
const urnForm = textForm.min(1)
/** The SHA-256 of bytes: of an archive, or of resources. */
const digestForm = z.string().regex(/^[0-9a-f]{64}$/, 'must be a SHA-256 in hex')

/**
 * The form of an edit, in requests and on the command line. The field `state` names an uploaded
 * state by the SHA-256 of the stack's archive that contains the state.
 */
export const stateEditForm = z.discriminatedUnion('kind', [
  /**
   * Replaces the whole state by an uploaded state with sealed secrets. `force`: the new state may
   * be empty, invalid, or from another stack; see `importState`.
   */
  z.strictObject({ kind: z.literal('import'), state: digestForm, force: z.boolean() }),
  /**
   * Replaces the state except for its pending operations by an uploaded state, if the resources
   * still have the digest `expected`; see `digestOfResources`.
   */
  z.strictObject({ kind: z.literal('resources'), state: digestForm, expected: digestForm }),
  /**
   * Replaces the state by an uploaded state, if the resources still have the digest `expected`. The
   * two states differ only in their secrets managers and ciphertexts.
   */
  z.strictObject({ kind: z.literal('secrets'), state: digestForm, expected: digestForm }),
  /**
   * Publishes an earlier version again; see `rollBackState`. `expected`: the digest of the current
   * resources that the sender has read. Without it, even a damaged current state is replaced.
   */
  z.strictObject({
    kind: z.literal('rollback'),
    version: z.number().int().min(1),
    expected: digestForm.optional(),
  }),
  /** Removes resources; see `deleteResources`. */
  z.strictObject({
    kind: z.literal('delete'),
    urns: z.union([
      z.literal('all'),
      z.array(z.strictObject({ urn: urnForm, id: textForm.optional() })).max(urnsMax),
    ]),
    force: z.boolean(),
    dependents: z.boolean(),
  }),
  /** Sets or removes a flag; see `setResourceFlags`. */
  z.strictObject({
    kind: z.literal('mark'),
    urns: z.union([z.literal('all'), z.array(urnForm).max(urnsMax)]),
    mark: z.enum(['protect', 'taint']),
    isSet: z.boolean(),
  }),
  /** Renames a resource; see `renameResourceInState`. */
  z.strictObject({ kind: z.literal('rename'), urn: urnForm, name: textForm }),
  /** Removes a snippet, and protects its resources; see `promoteSnippet`. */
  z.strictObject({ kind: z.literal('promote'), snippet: textForm.min(1) }),
  /** Repairs an invalid state; see `repairState`. */
  z.strictObject({ kind: z.literal('repair') }),
  /** Adds the resource of a pending create; see `importPendingCreate`. */
  z.strictObject({ kind: z.literal('pending import'), urn: urnForm, id: textForm.min(1) }),
  /** Removes the pending operations of a URN; see `clearPendingOperations`. */
  z.strictObject({ kind: z.literal('pending clear'), urn: urnForm }),
])

/** An edit of a stack's state. */
export type StateEdit = z.infer<typeof stateEditForm>

/** The report of an edit: the number of selected resources, and warnings for the user. */
export interface EditReport {
  readonly count: number
  readonly notices: readonly string[]
}

/** A state after an edit. */
export interface EditedState extends EditReport {
  readonly state: StoredDeployment
  /** The pending operations that an import has dropped from the imported state. */
  readonly dropped?: readonly { readonly urn: string; readonly type: string }[]
}
