import * as z from 'zod'
import { apiLimits } from '../../../shared/config/api-limits.ts'
import { createMissingVersionError } from '../../../shared/engine/deployment/retention/read-history-and-versions.ts'
import type { StackRecord } from '../../../shared/ports/catalog.ts'
import { stackPartsOf } from '../../../shared/records/ids.ts'
import { exportState, requireStack } from '../../../shared/runtime/state/export-state.ts'
import { diffStates } from '../../../shared/state/diff-states.ts'
import { withCurrentNames } from '../../../shared/state/edits/roll-back.ts'
import { emptyDeployment } from '../../../shared/state/empty-deployment.ts'
import type { StoredDeployment } from '../../../shared/state/stored.ts'
import { type ApiPorts, defineRoute, stackOf } from '../../../shared/api/define-route.ts'

const pendingView = z.array(z.object({ urn: z.string(), type: z.string() }))

/** The differences of two versions. Secrets are hidden. */
const versionDiffView = z.object({
  from: z.number(),
  to: z.number(),
  changes: z.array(
    z.object({
      op: z.enum(['add', 'remove', 'change']),
      urn: z.string(),
      type: z.string(),
      id: z.string().optional(),
      /** Whether the resource is an old copy that awaits its delete. */
      isOldCopy: z.literal(true).optional(),
      properties: z.array(
        z.object({
          path: z.string(),
          /** `unknown`: a secret was encrypted again, and may have the same value. */
          op: z.enum(['add', 'remove', 'change', 'unknown']),
          old: z.unknown(),
          new: z.unknown(),
        }),
      ),
    }),
  ),
  /** The number of all changes. `changes` contains at most `diffChangesMax` of them. */
  changeCount: z.number(),
  sameCount: z.number(),
  /** Pending operations that only the version `to` has, and those that only `from` has. */
  pendingAdded: pendingView,
  pendingRemoved: pendingView,
})

const versionForm = z.coerce.number().int().min(0)

/** The route that compares two versions of a stack. */
export const diffRoutes = [
  defineRoute({
    method: 'GET',
    path: '/v1/stacks/{project}/{stack}/diff',
    role: 'read',
    scope: 'stack',
    summary:
      'Compare two versions of a stack by resource and property, with hidden secrets; 0 is empty',
    query: z.object({ from: versionForm, to: versionForm }),
    output: versionDiffView,
    run: async (ports, { params, query: { from, to } }) => {
      const record = await requireStack(ports, stackOf(params))
      const before = await readVersionState(ports, record, from)
      const after = await readVersionState(ports, record, to)
      // Secrets are not decrypted, because callers with the role `read` may not learn whether two
      // are equal.
      const { changes, ...otherFields } = diffStates(before, after, () => undefined)
      const shownChanges = changes.slice(0, apiLimits.diffChangesMax)
      return {
        json: { from, to, changes: shownChanges, changeCount: changes.length, ...otherFields },
      }
    },
  }),
]

/**
 * Returns the state of a version, with the current names of the stack. Version 0 is the empty
 * state. Throws MOMENT_UNKNOWN, RECORDS_REMOVED.
 */
async function readVersionState(
  ports: ApiPorts,
  { id, version: newest }: StackRecord,
  version: number,
): Promise<StoredDeployment> {
  if (version === 0) return emptyDeployment
  const state = await exportState(ports, id, version)
  if (state !== undefined) return withCurrentNames(state, stackPartsOf(id))
  throw createMissingVersionError(version, newest)
}
