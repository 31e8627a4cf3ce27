import { isProviderType } from '../../../names/provider-reference.ts'
import { nameOf } from '../../../names/urn.ts'
import {
  noDiff,
  type CheckResult,
  type DiffResult,
  type Provider,
} from '../../../providers/provider.ts'
import { internalKey, withoutEngineValues } from '../../../providers/provider-inputs.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { diffInputs } from '../../../values/diff.ts'
import { areEqualMaps } from '../../../values/equal.ts'
import type { PropertyMap, PropertyValue } from '../../../values/value.ts'
import type { GeneratorContext } from '../context.ts'
import { toDecided, failDeployment, type Result } from '../stage.ts'
import { loadProvider } from './load-provider.ts'
import { findNameProposal, warnNameUnsupported } from '../registration/apply-autonaming.ts'
import { oldOutputsOf } from '../changes/old-outputs.ts'

/**
 * The check and the diff of one resource, by the provider of the resource. For a provider resource,
 * its own plugin performs both. For a component, only the inputs are compared.
 */
export interface ResourceDriver {
  /** Undefined for components: their inputs are stored without a check. */
  readonly check:
    | ((
        oldInputs: PropertyMap | undefined,
        newInputs: PropertyMap,
        seed: Uint8Array,
      ) => Promise<Result<CheckResult>>)
    | undefined
  readonly diff: (
    old: ResourceState,
    newInputs: PropertyMap,
    ignoreChanges: readonly string[],
  ) => Promise<DiffResult>
}

/** Returns the driver of a planned state. A missing provider ends the deployment. */
export async function createDriver(
  ctx: GeneratorContext,
  next: ResourceState,
): Promise<Result<ResourceDriver>> {
  if (!next.custom) return toDecided(componentDriver)
  if (isProviderType(next.type)) return toDecided(createProviderDriver(ctx, next))
  const providerResult = await loadProvider(ctx.ports, next, next.urn)
  return providerResult.kind === 'failed'
    ? providerResult
    : toDecided(createCustomDriver(ctx, next, providerResult.value))
}

/** The driver of components. It compares their inputs. */
export const componentDriver: ResourceDriver = {
  check: undefined,
  diff: (old, newInputs) =>
    Promise.resolve(
      areEqualMaps(old.inputs, newInputs) ? noDiff : { ...noDiff, changes: 'some' as const },
    ),
}

function createCustomDriver(
  ctx: GeneratorContext,
  next: ResourceState,
  provider: Provider,
): ResourceDriver {
  const identity = { urn: next.urn, type: next.type }
  const resource = { ...identity, name: nameOf(next.urn) }
  return {
    check: async (oldInputs, newInputs, randomSeed) => {
      const naming = findNameProposal(ctx.input, { ...resource, seed: randomSeed })
      const request = {
        ...resource,
        oldInputs,
        newInputs,
        randomSeed,
        allowUnknowns: ctx.input.isPreview,
      }
      const result = await provider.check({ ...request, naming })
      if (result.isNamingUnsupported === true && naming?.warnIfUnsupported === true)
        warnNameUnsupported(ctx.ports, resource.urn)
      return toDecided(result)
    },
    // A resource that an alias renamed is diffed under its new name.
    diff: (old, newInputs, ignoreChanges) =>
      diffResource(ctx, provider, { old: { ...old, ...identity }, newInputs, ignoreChanges }),
  }
}

/** The old state and the new inputs of a diff, with the options of the comparison. */
interface DiffInput {
  readonly old: ResourceState
  readonly newInputs: PropertyMap
  readonly ignoreChanges: readonly string[]
  readonly allowUnknowns?: boolean
}

/**
 * Requests the diff of a custom resource. If the provider does not know whether the resource
 * changed, the inputs are compared. With an unconfigured provider, the resource counts as changed,
 * and a warning is reported. Source: docs/spec/step-generation.md#diff-decision.
 */
export async function diffResource(
  ctx: GeneratorContext,
  provider: Provider,
  { old, newInputs, ignoreChanges, allowUnknowns }: DiffInput,
): Promise<DiffResult> {
  if (provider.isUnconfigured()) {
    const message =
      'The provider for this resource has inputs that are not known during preview.\n' +
      'This preview may not correctly represent the changes that will be applied during an update.'
    ctx.ports.emitter.report('warning', message, old.urn)
    return { ...noDiff, changes: 'some' }
  }
  const diff = await provider.diff({
    urn: old.urn,
    name: nameOf(old.urn),
    type: old.type,
    id: old.id,
    oldInputs: old.inputs,
    oldOutputs: old.outputs,
    newInputs,
    ignoreChanges,
    allowUnknowns: allowUnknowns ?? ctx.input.isPreview,
  })
  return diff.changes === 'unknown' ? diffInputsLocally(diff, old.inputs, newInputs) : diff
}

function diffInputsLocally(
  diff: DiffResult,
  oldInputs: PropertyMap,
  newInputs: PropertyMap,
): DiffResult {
  const localDiff = diffInputs(oldInputs, newInputs)
  if (localDiff === undefined) return { ...diff, changes: 'none', replaceKeys: [] }
  return {
    ...diff,
    changes: 'some',
    replaceKeys: [],
    changedKeys: localDiff.changedKeys,
    detailedDiff: localDiff.detailedDiff,
  }
}

/**
 * Creates the driver of a provider resource. An instance of its plugin that is not configured yet
 * performs the checks and diffs. Source: docs/spec/providers.md#provider-registry.
 */
function createProviderDriver(ctx: GeneratorContext, next: ResourceState): ResourceDriver {
  const identity = { urn: next.urn, type: next.type }
  const resource = { ...identity, name: nameOf(next.urn) }
  return {
    async check(oldInputs, newInputs) {
      const provider = await ctx.ports.providers.keepUnconfigured(next.urn, newInputs)
      const visibleInputs = {
        oldInputs: oldInputs === undefined ? undefined : withoutEngineValues(oldInputs),
        newInputs: withoutEngineValues(newInputs),
      }
      const { inputs, failures } = await provider.checkConfig({
        ...resource,
        ...visibleInputs,
        allowUnknowns: true,
      })
      const restoreResult = restoreInternalInputs(ctx, { next, newInputs, checkedInputs: inputs })
      return restoreResult.kind === 'failed'
        ? restoreResult
        : toDecided({ inputs: restoreResult.value, failures })
    },
    async diff(old, newInputs, ignoreChanges) {
      const provider = ctx.ports.providers.getUnconfigured(next.urn)
      if (provider === undefined) return noDiff
      return diffProviderConfig(provider, { ...old, ...identity }, { newInputs, ignoreChanges })
    },
  }
}

/** The new inputs of a provider resource, with the options of the comparison. */
interface ConfigDiffInput {
  readonly newInputs: PropertyMap
  readonly ignoreChanges: readonly string[]
}

/**
 * Requests the diff of a provider resource. If its plugin does not know whether the resource
 * changed, the old outputs are compared with the new inputs.
 */
export async function diffProviderConfig(
  provider: Provider,
  old: ResourceState,
  input: ConfigDiffInput,
): Promise<DiffResult> {
  const diff = await requestConfigDiff(provider, old, input)
  if (diff.changes !== 'unknown') return diff
  const isSame = areEqualMaps(oldOutputsOf(old), withoutEngineValues(input.newInputs))
  return { ...diff, changes: isSame ? 'none' : 'some' }
}

/** Requests DiffConfig of a plugin. */
export function requestConfigDiff(
  provider: Provider,
  old: Pick<ResourceState, 'urn' | 'type' | 'inputs' | 'outputs'>,
  { newInputs, ignoreChanges }: ConfigDiffInput,
): Promise<DiffResult> {
  return provider.diffConfig({
    urn: old.urn,
    name: nameOf(old.urn),
    type: old.type,
    oldInputs: withoutEngineValues(old.inputs),
    oldOutputs: oldOutputsOf(old),
    newInputs: withoutEngineValues(newInputs),
    ignoreChanges,
  })
}

/**
 * Returns checked inputs, with the version and `__internal` added again. The plugin does not see
 * `__internal`, and may omit the version. Fails when the plugin changed the version. Source:
 * docs/spec/provider-protocol.md#inputs-and-outputs-in-state.
 */
function restoreInternalInputs(
  { ports }: GeneratorContext,
  {
    next,
    newInputs,
    checkedInputs,
  }: {
    readonly next: ResourceState
    readonly newInputs: PropertyMap
    readonly checkedInputs: PropertyMap
  },
): Result<PropertyMap> {
  const inputs = new Map<string, PropertyValue>(checkedInputs)
  if (inputs.delete(internalKey))
    ports.emitter.report(
      'warning',
      `provider attempted to use ${internalKey} key that is reserved by the engine`,
      next.urn,
    )
  const requestedVersion = newInputs.get('version')
  const returnedVersion = inputs.get('version')
  if (requestedVersion !== undefined && returnedVersion === undefined)
    inputs.set('version', requestedVersion)
  else if (
    typeof requestedVersion === 'string' &&
    typeof returnedVersion === 'string' &&
    requestedVersion !== returnedVersion
  )
    return failDeployment(
      `provider "${next.urn}" attempted to change version from "${requestedVersion}" to "${returnedVersion}"`,
      next.urn,
    )
  const internal = newInputs.get(internalKey)
  if (internal !== undefined) inputs.set(internalKey, internal)
  return toDecided(inputs)
}
