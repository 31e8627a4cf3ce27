import { packageOf } from '../../names/provider-reference.ts'
import type { Provider } from '../../providers/provider.ts'
import type { ResourceState } from '../../state/resource.ts'
import { isSecret, type PropertyMap, type PropertyValue, secretOf } from '../../values/value.ts'
import { formatCheckFailure } from '../check-failure-message.ts'
import { type StepEnd, failureEndOf, successEndOf } from '../step-end.ts'
import type { ImportedProperties } from '../../records/operation.ts'
import type { Step } from '../step.ts'
import type { ViewRequest } from '../../providers/views.ts'
import {
  resolveStepProvider,
  type PerformDeps,
  resourceIdentityOf,
  viewStatusOf,
} from './provider-call.ts'

/**
 * Adopts an existing resource, which the provider reads by its id alone. A component is not read.
 * For the command `import`, a resource with supplied outputs is not read either. An unhealthy
 * resource is no failure. The resulting state has the read properties and the current time. Source:
 * docs/spec/step-execution.md#import-step.
 */
export async function performImport(
  step: Step,
  mode: { readonly preview: boolean },
  deps: PerformDeps,
): Promise<StepEnd> {
  const { next, importedProperties } = step
  if (next === undefined) throw new TypeError('the import has no state to fill')
  const now = deps.timestamp()
  const timeFields = { created: now, modified: now }
  if (!next.custom) return successEndOf({ ...next, ...timeFields })
  const provider = await resolveStepProvider(step, deps)
  const readState =
    importedProperties !== undefined && next.outputs.size > 0
      ? { ...next, id: next.importID }
      : await readExisting(next, provider, {
          isCommandImport: importedProperties !== undefined,
          viewRequest: viewStatusOf(deps),
        })
  if (typeof readState === 'string') return failureEndOf({ message: readState, status: 'ok' })
  if (importedProperties === undefined) return successEndOf({ ...readState, ...timeFields })
  await warnOfInvalidInputs(readState, {
    provider,
    importedProperties,
    preview: mode.preview,
    warn: deps.warn,
  })
  // A resource from the import command does not keep its import id.
  return successEndOf({ ...readState, importID: '', ...timeFields })
}

/** Returns the state that the provider reads, or the reason why the import fails. */
async function readExisting(
  next: ResourceState,
  provider: Provider,
  {
    isCommandImport,
    viewRequest,
  }: { readonly isCommandImport: boolean; readonly viewRequest: ViewRequest },
): Promise<ResourceState | string> {
  const readResult = await provider.read({
    ...resourceIdentityOf(next),
    id: next.importID,
    inputs: undefined,
    outputs: undefined,
    timeoutSeconds: next.customTimeouts.read ?? 0,
    ...viewRequest,
  })
  if (readResult.outputs === undefined) return `resource '${next.importID}' does not exist`
  if (readResult.inputs === undefined)
    return `provider does not support importing resources; please try updating the '${packageOf(next.type)}' plugin`
  return {
    ...next,
    id: readResult.id === '' ? next.importID : readResult.id,
    inputs: isCommandImport ? mergeSupplied(readResult.inputs, next.inputs) : readResult.inputs,
    outputs: readResult.outputs,
    initErrors: readResult.initErrors,
    refreshBeforeUpdate: readResult.refreshBeforeUpdate,
  }
}

/**
 * Adds the user's properties that the provider did not read. Properties that the user supplied as
 * secrets stay secret.
 */
function mergeSupplied(readProperties: PropertyMap, suppliedProperties: PropertyMap): PropertyMap {
  const mergedProperties = new Map<string, PropertyValue>(readProperties)
  for (const [key, value] of suppliedProperties) {
    const readValue = readProperties.get(key)
    if (readValue === undefined || readValue === null) mergedProperties.set(key, value)
    else if (isSecret(value) && !isSecret(readValue)) mergedProperties.set(key, secretOf(readValue))
  }
  return mergedProperties
}

/** Warns of imported inputs that the provider's Check rejects. The import continues. */
async function warnOfInvalidInputs(
  state: ResourceState,
  options: {
    readonly provider: Provider
    readonly importedProperties: ImportedProperties
    readonly preview: boolean
    readonly warn: (message: string) => void
  },
): Promise<void> {
  const { provider, importedProperties, preview, warn } = options
  const { failures } = await provider.check({
    ...resourceIdentityOf(state),
    oldInputs: state.inputs,
    newInputs: state.inputs,
    allowUnknowns: preview,
    // The seed does not matter, because the inputs that Check returns are not used.
    randomSeed: new Uint8Array(32),
  })
  if (failures.length === 0) return
  const advice =
    importedProperties === 'whole'
      ? `This is almost certainly a bug in the \`${packageOf(state.type)}\` provider.`
      : 'Try specifying a different set of properties to import with in the future.'
  warn(
    `One or more imported inputs failed to validate. ${advice} The import will still proceed, ` +
      'but you will need to edit the generated code after copying it into your program.',
  )
  for (const failure of failures)
    warn(formatCheckFailure(resourceIdentityOf(state), failure, state.inputs))
}
