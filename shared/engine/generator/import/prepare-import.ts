import { isProviderType, providerTypeOf, referenceOf } from '../../../names/provider-reference.ts'
import { nameOf, stackType, type Urn } from '../../../names/urn.ts'
import type { ImportedResource } from '../../../records/import.ts'
import { createResourceState, type ResourceState } from '../../../state/resource.ts'
import type { JsonObject } from '../../../values/stored.ts'
import { emptyMap, type PropertyMap } from '../../../values/value.ts'
import type { ConfigValue } from '../../request.ts'
import { type Step, stepOf } from '../../step.ts'
import { failureEndOf, successEndOf } from '../../step-end.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { Bail, finishStage } from '../finish-stage.ts'
import { decided, failDeployment, type Result, type StageResult, stopped } from '../stage.ts'
import { runSteps, configureUnusedProvider } from '../steps/run-steps.ts'
import { failCheck } from '../checks/fail-check.ts'
import { draftStateOf, type UrnClaim } from '../registration/claim-urn.ts'
import { createDriver } from '../providers/resource-driver.ts'
import { registerResource } from '../registration/register-resource.ts'
import { emptyGoal, type Goal } from '../registration/goal.ts'
import {
  type ImportInput,
  findMistake,
  type NeededProvider,
  findNeededProviders,
  type PlacedImport,
  placeImports,
} from './plan-import.ts'
import { withRef } from '../../../providers/package-request.ts'
import { withPlugin } from '../../../providers/provider-inputs.ts'
import { configInputsOf, registerExtension } from '../providers/resolve-provider.ts'
import { replayRecorded } from '../replay/replay-registration.ts'
import type { CurrentState } from '../sets.ts'

/** The dependencies of an import. `open`: opens sealed properties that a person supplied. */
export interface ImportDeps extends Pick<ImportInput, 'required'> {
  readonly config: ReadonlyMap<string, ConfigValue>
  readonly open: (sealed: JsonObject) => PropertyMap
}

/** A prepared import: its steps, each after its parent's. */
export interface ReadyImport {
  readonly steps: readonly Step[]
  /** The stack's own resource, if the import created it. */
  readonly madeStack: CurrentState | undefined
}

/**
 * Prepares an import by the command: existing resources are shown as unchanged, and a missing stack
 * and missing providers are created. Source: docs/spec/deployment.md#import-deployment.
 */
export async function prepareImport(
  ctx: GeneratorContext,
  requested: readonly ImportedResource[],
  deps: ImportDeps,
): Promise<Result<ReadyImport>> {
  const { stack, project, base, sets } = ctx.input
  const liveStateOf = (urn: Urn): ResourceState | undefined => {
    const index = base.liveIndexOf(urn)
    return index === undefined ? undefined : base.trackedAt(index).state
  }
  const input = { stack, project, liveStateOf, required: deps.required }
  const mistake = findMistake(requested, input)
  if (mistake !== undefined) return failDeployment(mistake)

  const shown = await showExisting(ctx)
  if (shown.kind === 'failed') return shown

  const existingStack = base.snapshot.resources.find(
    state => state.type === stackType && state.parent === '' && !state.delete,
  )
  const made =
    existingStack === undefined
      ? await registerResource(ctx, createStackGoal(ctx.input))
      : decided(undefined)
  if (made.kind === 'failed') return made
  const stackUrn = existingStack?.urn ?? made.value?.state.urn
  if (stackUrn === undefined) throw new TypeError('a stack was found or made')

  for (const needed of findNeededProviders(requested, input)) {
    const provider = await createProvider(ctx, needed, deps)
    if (provider.kind === 'failed') return provider
  }
  const referenceTo = (urn: Urn): string => {
    const id = liveStateOf(urn)?.id ?? sets.current.get(urn)?.state.id
    if (id === undefined) throw new TypeError(`the provider ${urn} was found or made`)
    return referenceOf(urn, id)
  }
  for (const { extension } of requested)
    if (extension !== undefined) registerExtension(ctx, withRef(extension))
  const imports = placeImports(requested, input, stackUrn).map(placed => ({
    refusal: placed.refusal,
    step: createImportCommandStep(placed, referenceTo, deps),
  }))
  const refused = refuseImports(ctx, imports)
  if (refused.kind === 'failed') return refused
  return decided({ steps: imports.map(({ step }) => step), madeStack: made.value })
}

/** Shows all states as unchanged, and configures their providers for the imports. */
async function showExisting(ctx: GeneratorContext): Promise<Result<void>> {
  const { emitter } = ctx.ports
  const { base } = ctx.input
  for (const [index, state] of base.snapshot.resources.entries()) {
    if (state.delete) continue
    const old = base.trackedAt(index)
    const step = stepOf({ op: 'same', effect: 'none', old, next: state })
    emitter.emitBegin(step)
    try {
      if (isProviderType(state.type)) await configureUnusedProvider(ctx, state, state.inputs)
    } catch (thrown) {
      return failDeployment(thrown instanceof Error ? thrown.message : String(thrown), state.urn)
    }
    ctx.apply({ current: [[state.urn, { ...old, op: 'same' }]] })
    emitter.emitEnd(step, successEndOf(state))
    emitter.count(step, successEndOf(state))
  }
  return decided(undefined)
}

function createStackGoal({ project, stack }: Pick<DecisionInput, 'project' | 'stack'>): Goal {
  return { ...emptyGoal, type: stackType, name: `${project}-${stack}`, custom: false }
}

/** Creates a provider that the imports need. */
async function createProvider(
  ctx: GeneratorContext,
  needed: NeededProvider,
  deps: ImportDeps,
): Promise<StageResult<CurrentState>> {
  const { urn, plugin, parent } = needed
  const inputs = withPlugin(readProviderInputs(needed, deps), plugin)
  const goal = { ...emptyGoal, type: providerTypeOf(plugin.pkg), name: nameOf(urn), parent, inputs }
  const claim = { urn, old: undefined, index: undefined, alias: undefined }
  ctx.apply({ goals: [[urn, goal]] })
  const replayed = finishStage(ctx, await replayRecorded(ctx, claim, ctx.ports.goalDigestOf(goal)))
  if (replayed.kind !== 'decided') return replayed
  try {
    const created = await runProviderCreate(ctx, goal, claim)
    if (created.kind !== 'failed' || created.failure.ends === 'deployment') return created
    // Without its provider an import cannot continue, even with `--continue-on-error`.
    return failDeployment('resource registration failed', urn)
  } catch (thrown) {
    if (thrown instanceof Bail) return stopped
    return failDeployment(thrown instanceof Error ? thrown.message : String(thrown), urn)
  }
}

function readProviderInputs(
  { plugin, inputs }: NeededProvider,
  { config, open }: ImportDeps,
): PropertyMap {
  if (inputs === 'config') return configInputsOf(plugin.pkg, config)
  return inputs === undefined ? emptyMap : open(inputs)
}

/** As in Pulumi, only the failures of the check count: its inputs are not used. */
async function runProviderCreate(
  ctx: GeneratorContext,
  goal: Goal,
  claim: UrnClaim,
): Promise<Result<CurrentState>> {
  const next = draftStateOf(goal, claim)
  const seed = ctx.ports.randomSeed()
  const loaded = await createDriver(ctx, next)
  if (loaded.kind === 'failed') return loaded
  const driver = loaded.value
  const checked = await driver.check?.(undefined, goal.inputs, seed)
  if (checked?.kind === 'failed') return checked
  const failures = checked?.value.failures ?? []
  if (failures.length > 0) return failCheck({ ...goal, urn: claim.urn }, failures)
  const candidate = { goal, claim, driver, next, compared: goal.inputs, seed }
  return runSteps(ctx, candidate, [stepOf({ op: 'create', effect: 'add', next })])
}

function createImportCommandStep(
  { resource, urn, parent, provider }: PlacedImport,
  referenceTo: (urn: Urn) => string,
  { open }: ImportDeps,
): Step {
  const next = createResourceState({
    urn,
    type: resource.type,
    custom: resource.component === 'no',
    parent,
    protect: resource.protect,
    importID: resource.id,
    provider: provider === '' ? '' : referenceTo(provider),
    extensionRef: resource.extension === undefined ? '' : withRef(resource.extension).ref,
    ...(resource.inputs === undefined ? {} : { inputs: open(resource.inputs) }),
    ...(resource.outputs === undefined ? {} : { outputs: open(resource.outputs) }),
  })
  const planned = resource.isChosen ? 'chosen' : 'whole'
  return stepOf({ op: 'import', effect: 'add', next, planned, skipCall: !next.custom })
}

/** Shows each refused import as failed; then nothing is imported, so that the result is certain. */
function refuseImports(
  { ports }: GeneratorContext,
  imports: readonly { readonly refusal: string | undefined; readonly step: Step }[],
): Result<void> {
  const refused = imports.filter(({ refusal }) => refusal !== undefined)
  for (const { refusal = '', step } of refused) {
    ports.emitter.emitBegin(step)
    ports.emitter.emitEnd(step, failureEndOf({ message: refusal, status: 'ok' }))
  }
  return refused.length === 0 ? decided(undefined) : stopped
}
