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

/** The form of an edit, in requests and on the command line. */
export const stateEditForm = z.discriminatedUnion('kind', [
  /**
   * Replaces the whole state by a state with sealed secrets in an archive of the stack. `force`:
   * the new state may be foreign, invalid or empty; see `importState`.
   */
  z.strictObject({ kind: z.literal('import'), state: digestForm, force: z.boolean() }),
  /**
   * Replaces the resources by those of a state in an archive of the stack, if the resources still
   * have the digest `expected`; see `digestOfResources`.
   */
  z.strictObject({ kind: z.literal('resources'), state: digestForm, expected: digestForm }),
  /**
   * Replaces the state by a state in an archive of the stack, if the resources still have the
   * digest `expected`. The two states differ only in their secrets managers.
   */
  z.strictObject({ kind: z.literal('secrets'), state: digestForm, expected: digestForm }),
  /**
   * Publishes an earlier version again; see `rollBackState`. `expected`: the digest of the
   * resources that the sender has read. Without it, a damaged state is replaced, too.
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
  /** Sets or removes a mark; see `withMark`. */
  z.strictObject({
    kind: z.literal('mark'),
    urns: z.union([z.literal('all'), z.array(urnForm).max(urnsMax)]),
    mark: z.enum(['protect', 'taint']),
    isSet: z.boolean(),
  }),
  /** Renames a resource; see `renameResourceInState`. */
  z.strictObject({ kind: z.literal('rename'), urn: urnForm, name: textForm }),
  /** Repairs an invalid state; see `repairState`. */
  z.strictObject({ kind: z.literal('repair') }),
  /** Adds the resource of a pending create; see `importPending`. */
  z.strictObject({ kind: z.literal('pending import'), urn: urnForm, id: textForm.min(1) }),
  /** Removes the pending operations of a URN; see `clearPending`. */
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
  /** Pending operations of an imported state, which the import drops. */
  readonly dropped?: readonly { readonly urn: string; readonly type: string }[]
}
