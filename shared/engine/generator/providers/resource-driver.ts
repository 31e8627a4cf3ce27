import { isProviderType } from '../../../names/provider-reference.ts'
import { nameOf } from '../../../names/urn.ts'
import {
  noDiff,
  type CheckResult,
  type DiffResult,
  type Provider,
} from '../../../providers/provider.ts'
import { internalKey, withoutInternal } from '../../../providers/provider-inputs.ts'
import type { ResourceState } from '../../../state/resource.ts'
import { diffInputs } from '../../../values/diff.ts'
import { equalMaps } from '../../../values/equal.ts'
import type { PropertyMap, PropertyValue } from '../../../values/value.ts'
import { bail, type GeneratorContext, loadProvider } from '../context.ts'
import { proposeResourceName, warnNameUnsupported } from '../registration/autonaming.ts'
import { oldOutputsOf } from '../changes/old-outputs.ts'

/** What a decision asks about one resource: its provider's, the registry's, or plain comparison. */
export interface ResourceDriver {
  /** undefined: nothing is checked, the goal's inputs are stored as they are (components). */
  readonly check:
    | ((olds: PropertyMap | undefined, news: PropertyMap, seed: Uint8Array) => Promise<CheckResult>)
    | undefined
  readonly diff: (
    old: ResourceState,
    newInputs: PropertyMap,
    ignoreChanges: readonly string[],
  ) => Promise<DiffResult>
}

/** The driver for a state that is to be. */
export async function createDriver(
  ctx: GeneratorContext,
  next: ResourceState,
): Promise<ResourceDriver> {
  if (!next.custom) return componentDriver
  if (isProviderType(next.type)) return createProviderDriver(ctx, next)
  return createCustomDriver(ctx, next, await loadProvider(ctx, next, next.urn))
}

/** Nobody is asked about a component. */
export const componentDriver: ResourceDriver = {
  check: undefined,
  diff: (old, newInputs) =>
    Promise.resolve(
      equalMaps(old.inputs, newInputs) ? noDiff : { ...noDiff, changes: 'some' as const },
    ),
}

function createCustomDriver(
  ctx: GeneratorContext,
  next: ResourceState,
  provider: Provider,
): ResourceDriver {
  const named = { urn: next.urn, type: next.type }
  const subject = { ...named, name: nameOf(next.urn) }
  return {
    check: async (olds, news, randomSeed) => {
      const naming = proposeResourceName(ctx, { ...subject, seed: randomSeed })
      const request = { ...subject, olds, news, randomSeed, allowUnknowns: ctx.preview }
      const result = await provider.check({ ...request, naming })
      if (result.isNameUnsupported === true && naming?.warnIfUnsupported === true)
        warnNameUnsupported(ctx, subject.urn)
      return result
    },
    // A resource that an alias renamed is asked about by its new name.
    diff: (old, newInputs, ignoreChanges) =>
      diffResource(ctx, provider, { ...old, ...named }, { newInputs, ignoreChanges }),
  }
}

/**
 * Diff of a custom resource, with the engine's own where the provider cannot tell. Source:
 * docs/spec/step-generation.md#diff-decision.
 */
export async function diffResource(
  ctx: GeneratorContext,
  provider: Provider,
  old: ResourceState,
  input: {
    readonly newInputs: PropertyMap
    readonly ignoreChanges: readonly string[]
    readonly allowUnknowns?: boolean
  },
): Promise<DiffResult> {
  if (provider.isUnconfigured()) {
    const message =
      'The provider for this resource has inputs that are not known during preview.\n' +
      'This preview may not correctly represent the changes that will be applied during an update.'
    ctx.emitter.report('warning', message, old.urn)
    return { ...noDiff, changes: 'some' }
  }
  const diff = await provider.diff({
    urn: old.urn,
    name: nameOf(old.urn),
    type: old.type,
    id: old.id,
    oldInputs: old.inputs,
    oldOutputs: old.outputs,
    newInputs: input.newInputs,
    ignoreChanges: input.ignoreChanges,
    allowUnknowns: input.allowUnknowns ?? ctx.preview,
  })
  return diff.changes === 'unknown' ? diffInputsLocally(diff, old.inputs, input.newInputs) : diff
}

function diffInputsLocally(diff: DiffResult, olds: PropertyMap, news: PropertyMap): DiffResult {
  const found = diffInputs(olds, news)
  if (found === undefined) return { ...diff, changes: 'none', replaceKeys: [] }
  return {
    ...diff,
    changes: 'some',
    replaceKeys: [],
    changedKeys: found.changedKeys,
    detailedDiff: found.detailedDiff,
  }
}

/**
 * Provider resources are checked and diffed by their own, not yet configured plugin. Source:
 * docs/spec/providers.md#provider-registry.
 */
function createProviderDriver(ctx: GeneratorContext, next: ResourceState): ResourceDriver {
  const named = { urn: next.urn, type: next.type }
  const subject = { ...named, name: nameOf(next.urn) }
  return {
    async check(olds, news) {
      const provider = await ctx.providers.keepUnconfigured(next.urn, news)
      const filtered = {
        olds: olds === undefined ? undefined : withoutInternal(olds),
        news: withoutInternal(news),
      }
      const { inputs, failures } = await provider.checkConfig({
        ...subject,
        ...filtered,
        allowUnknowns: true,
      })
      return { inputs: restoreInternal(ctx, next, news, inputs), failures }
    },
    async diff(old, newInputs, ignoreChanges) {
      const provider = ctx.providers.getUnconfigured(next.urn)
      if (provider === undefined) return noDiff
      return diffProviderConfig(provider, { ...old, ...named }, { newInputs, ignoreChanges })
    },
  }
}

/** Inputs that a provider resource is to have. */
interface ConfigDiffInput {
  readonly newInputs: PropertyMap
  readonly ignoreChanges: readonly string[]
}

/** Diff of a provider resource by a plugin of its own; who does not know is answered for. */
export async function diffProviderConfig(
  provider: Provider,
  old: ResourceState,
  input: ConfigDiffInput,
): Promise<DiffResult> {
  const diff = await requestConfigDiff(provider, old, input)
  if (diff.changes !== 'unknown') return diff
  const isSame = equalMaps(oldOutputsOf(old), withoutInternal(input.newInputs))
  return { ...diff, changes: isSame ? 'none' : 'some' }
}

/** What a plugin says of a change of its configuration. */
export function requestConfigDiff(
  provider: Provider,
  old: Pick<ResourceState, 'urn' | 'type' | 'inputs' | 'outputs'>,
  { newInputs, ignoreChanges }: ConfigDiffInput,
): Promise<DiffResult> {
  return provider.diffConfig({
    urn: old.urn,
    name: nameOf(old.urn),
    type: old.type,
    oldInputs: withoutInternal(old.inputs),
    oldOutputs: oldOutputsOf(old),
    newInputs: withoutInternal(newInputs),
    ignoreChanges,
  })
}

/**
 * Puts back what was kept from the plugin: its own version and `__internal`. Source:
 * docs/spec/provider-protocol.md#inputs-and-outputs-in-state, 7.4.
 */
function restoreInternal(
  ctx: GeneratorContext,
  next: ResourceState,
  news: PropertyMap,
  checked: PropertyMap,
): PropertyMap {
  const inputs = new Map<string, PropertyValue>(checked)
  if (inputs.delete(internalKey))
    ctx.emitter.report(
      'warning',
      `provider attempted to use ${internalKey} key that is reserved by the engine`,
      next.urn,
    )
  const requested = news.get('version')
  const got = inputs.get('version')
  if (requested !== undefined && got === undefined) inputs.set('version', requested)
  else if (typeof requested === 'string' && typeof got === 'string' && requested !== got)
    bail(
      ctx,
      `provider "${next.urn}" attempted to change version from "${requested}" to "${got}"`,
      next.urn,
    )
  const internal = news.get(internalKey)
  if (internal !== undefined) inputs.set(internalKey, internal)
  return inputs
}
