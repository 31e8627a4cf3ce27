import { packageOf } from '../../names/provider-reference.ts'
import type { Provider } from '../../providers/provider.ts'
import type { ResourceState } from '../../state/resource.ts'
import { isSecret, type PropertyMap, type PropertyValue, secretOf } from '../../values/value.ts'
import { formatCheckFailure } from '../check-failure-message.ts'
import { type StepEnd, failureEndOf, successEndOf } from '../step-end.ts'
import type { PlannedImport } from '../../records/operation.ts'
import type { Step } from '../step.ts'
import type { ViewRequest } from '../../providers/views.ts'
import { resolveStepProvider, type PerformDeps, subjectOf, viewStatusOf } from './provider-call.ts'

/**
 * Adopts an existing resource: reads it by its id alone. An unhealthy resource is no failure. The
 * resulting state has the read properties and the current time. Source:
 * docs/spec/step-execution.md#import-step.
 */
export async function performImport(
  step: Step,
  mode: { readonly preview: boolean },
  deps: PerformDeps,
): Promise<StepEnd> {
  const { next, planned } = step
  if (next === undefined) throw new TypeError('an import has a state to fill')
  const now = deps.timestamp()
  const times = { created: now, modified: now }
  if (!next.custom) return successEndOf({ ...next, ...times })
  const provider = await resolveStepProvider(step, deps)
  const read =
    planned !== undefined && next.outputs.size > 0
      ? { ...next, id: next.importID }
      : await readExisting(next, provider, {
          isPlanned: planned !== undefined,
          viewing: viewStatusOf(deps),
        })
  if (typeof read === 'string') return failureEndOf({ message: read, status: 'ok' })
  if (planned === undefined) return successEndOf({ ...read, ...times })
  await checkImported(read, { provider, planned, preview: mode.preview, warn: deps.warn })
  // A resource from the import command does not keep its import id.
  return successEndOf({ ...read, importID: '', ...times })
}

/** Returns the state as the provider has it, or the reason why there is none. */
async function readExisting(
  next: ResourceState,
  provider: Provider,
  { isPlanned, viewing }: { readonly isPlanned: boolean; readonly viewing: ViewRequest },
): Promise<ResourceState | string> {
  const read = await provider.read({
    ...subjectOf(next),
    id: next.importID,
    inputs: undefined,
    outputs: undefined,
    timeout: next.customTimeouts.read ?? 0,
    ...viewing,
  })
  if (read.outputs === undefined) return `resource '${next.importID}' does not exist`
  if (read.inputs === undefined)
    return `provider does not support importing resources; please try updating the '${packageOf(next.type)}' plugin`
  return {
    ...next,
    id: read.id === '' ? next.importID : read.id,
    inputs: isPlanned ? mergeSupplied(read.inputs, next.inputs) : read.inputs,
    outputs: read.outputs,
    initErrors: read.initErrors,
    refreshBeforeUpdate: read.refreshBeforeUpdate,
  }
}

/**
 * Merges the read properties with the user's, which fill the gaps that the provider leaves.
 * Properties supplied as secrets stay secret.
 */
function mergeSupplied(read: PropertyMap, supplied: PropertyMap): PropertyMap {
  const merged = new Map<string, PropertyValue>(read)
  for (const [key, value] of supplied) {
    const found = read.get(key)
    if (found === undefined || found === null) merged.set(key, value)
    else if (isSecret(value) && !isSecret(found)) merged.set(key, secretOf(found))
  }
  return merged
}

/** Reports imported inputs that the provider's Check rejects. The import continues. */
async function checkImported(
  state: ResourceState,
  options: {
    readonly provider: Provider
    readonly planned: PlannedImport
    readonly preview: boolean
    readonly warn: (message: string) => void
  },
): Promise<void> {
  const { provider, planned, preview, warn } = options
  const { failures } = await provider.check({
    ...subjectOf(state),
    olds: state.inputs,
    news: state.inputs,
    allowUnknowns: preview,
    // The result of the Check is not used.
    randomSeed: new Uint8Array(32),
  })
  if (failures.length === 0) return
  const why =
    planned === 'whole'
      ? `This is almost certainly a bug in the \`${packageOf(state.type)}\` provider.`
      : 'Try specifying a different set of properties to import with in the future.'
  warn(
    `One or more imported inputs failed to validate. ${why} The import will still proceed, ` +
      'but you will need to edit the generated code after copying it into your program.',
  )
  for (const failure of failures) warn(formatCheckFailure(subjectOf(state), failure, state.inputs))
}
