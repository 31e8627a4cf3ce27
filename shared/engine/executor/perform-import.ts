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
 * Adopts what exists: reads it by its id alone. A read that finds it unhealthy is no failure. The
 * end's state has what was read, and now as its times. Source:
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
  // What this command imports says no more under which id it was found.
  return successEndOf({ ...read, importID: '', ...times })
}

/** The state as the provider has it, or why there is none. */
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
 * What was read, with what a person supplied where the provider says nothing; what was supplied as
 * a secret stays one.
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

/** Says what of the imported inputs its own provider finds wrong; the import takes place. */
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
    // Nothing is taken over from the answer.
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
