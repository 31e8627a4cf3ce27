import { isProviderType, providerTypeOf, referenceOf } from '../../../names/provider-reference.ts'
import { nameOf, stackType, type Urn } from '../../../names/urn.ts'
import type { ImportedResource } from '../../../records/import.ts'
import { createResourceState } from '../../../state/resource.ts'
import type { JsonObject } from '../../../values/stored.ts'
import { emptyMap, type PropertyMap } from '../../../values/value.ts'
import type { ConfigValue } from '../../request.ts'
import { type Step, stepOf } from '../../step.ts'
import { failureEndOf, successEndOf } from '../../step-end.ts'
import { Bail, bail, type GeneratorContext } from '../context.ts'
import { runSteps, configureUnusedProvider } from '../steps/run-steps.ts'
import { reportCheckFailures } from '../checks/report-check-failures.ts'
import { draftStateOf } from '../registration/claim-urn.ts'
import { createDriver } from '../providers/resource-driver.ts'
import { generate } from '../generate.ts'
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

/** What an import needs besides its context. `open`: of what a person supplied. */
export interface ImportDeps extends Pick<ImportInput, 'required'> {
  readonly config: ReadonlyMap<string, ConfigValue>
  readonly open: (sealed: JsonObject) => PropertyMap
}

/** An import that is ready: its steps, each after its parent's. */
export interface ReadyImport {
  readonly steps: readonly Step[]
  /** The stack's own resource, where the import made it. */
  readonly madeStack: CurrentState | undefined
}

/**
 * Everything before the imports themselves: what the state has is told as unchanged, the stack and
 * the providers that are missing are made. Throws `Bail` after a mistake was told. Source:
 * docs/spec/deployment.md#import-deployment.
 */
export async function prepareImport(
  ctx: GeneratorContext,
  requested: readonly ImportedResource[],
  deps: ImportDeps,
): Promise<ReadyImport> {
  const { base, sets } = ctx
  const liveStateOf = (urn: Urn): CurrentState['state'] | undefined => {
    const index = base.liveIndexOf(urn)
    return index === undefined ? undefined : base.trackedAt(index).state
  }
  const input = {
    stack: ctx.stack,
    project: ctx.project,
    liveStateOf,
    required: deps.required,
  }
  const mistake = findMistake(requested, input)
  if (mistake !== undefined) bail(ctx, mistake)
  await emitExisting(ctx)
  const existingStack = base.snapshot.resources.find(
    state => state.type === stackType && state.parent === '' && !state.delete,
  )
  const madeStack =
    existingStack === undefined ? await generate(ctx, createStackGoal(ctx)) : undefined
  const stackUrn = existingStack?.urn ?? madeStack?.state.urn
  if (stackUrn === undefined) throw new TypeError('a stack was found or made')
  for (const needed of findNeededProviders(requested, input)) await makeProvider(ctx, needed, deps)
  const references = (urn: Urn): string => {
    const id = liveStateOf(urn)?.id ?? sets.current.get(urn)?.state.id
    if (id === undefined) throw new TypeError(`the provider ${urn} was found or made`)
    return referenceOf(urn, id)
  }
  for (const { extension } of requested)
    if (extension !== undefined) registerExtension(ctx, withRef(extension))
  const placed = placeImports(requested, input, stackUrn)
  failRefused(
    ctx,
    placed.map(one => [one, createImportCommandStep(one, references, deps)] as const),
  )
  return { steps: placed.map(one => createImportCommandStep(one, references, deps)), madeStack }
}

/** Tells all that the state has as unchanged; providers are ready for what is imported then. */
async function emitExisting(ctx: GeneratorContext): Promise<void> {
  for (const [index, state] of ctx.base.snapshot.resources.entries()) {
    if (state.delete) continue
    const old = ctx.base.trackedAt(index)
    const step = stepOf({ op: 'same', effect: 'none', old, next: state })
    ctx.emitter.emitBegin(step)
    try {
      if (isProviderType(state.type)) await configureUnusedProvider(ctx, state, state.inputs)
    } catch (thrown) {
      bail(ctx, thrown instanceof Error ? thrown.message : String(thrown), state.urn)
    }
    ctx.sets.current.set(state.urn, { ...old, op: 'same' })
    ctx.emitter.emitEnd(step, successEndOf(state))
    ctx.emitter.count(step, successEndOf(state))
  }
}

function createStackGoal({ project, stack }: GeneratorContext): Goal {
  return { ...emptyGoal, type: stackType, name: `${project}-${stack}`, custom: false }
}

/**
 * A provider as it was given, after its plugin has looked at that: of the answer only failures
 * count, as in the original.
 */
async function makeProvider(
  ctx: GeneratorContext,
  { urn, parent, plugin, inputs }: NeededProvider,
  { config, open }: ImportDeps,
): Promise<void> {
  const values =
    inputs === 'config'
      ? configInputsOf(plugin.pkg, config)
      : inputs === undefined
        ? emptyMap
        : open(inputs)
  const type = providerTypeOf(plugin.pkg)
  const name = nameOf(urn)
  const goal = { ...emptyGoal, type, name, parent, inputs: withPlugin(values, plugin) }
  const claim = { urn, old: undefined, index: undefined, alias: undefined }
  ctx.sets.goals.set(urn, goal)
  const replayedState = await replayRecorded(ctx, claim, ctx.goalDigestOf(goal))
  if (replayedState !== undefined) {
    ctx.sets.current.set(urn, replayedState)
    return
  }
  const next = draftStateOf(goal, claim)
  const seed = ctx.randomSeed()
  try {
    const driver = await createDriver(ctx, next)
    const checked = await driver.check?.(undefined, goal.inputs, seed)
    const failures = checked?.failures ?? []
    if (failures.length > 0) {
      reportCheckFailures(ctx.emitter, { urn, type, name }, failures, goal.inputs)
      ctx.abort()
      throw new Bail()
    }
    const candidate = { goal, claim, driver, next, compared: goal.inputs, seed }
    await runSteps(ctx, candidate, [stepOf({ op: 'create', effect: 'add', next })])
  } catch (thrown) {
    if (thrown instanceof Bail) throw thrown
    bail(ctx, thrown instanceof Error ? thrown.message : String(thrown), urn)
  }
}

function createImportCommandStep(
  { resource, urn, parent, provider }: PlacedImport,
  references: (urn: Urn) => string,
  { open }: ImportDeps,
): Step {
  const next = createResourceState({
    urn,
    type: resource.type,
    custom: resource.component === 'no',
    parent,
    protect: resource.protect,
    importID: resource.id,
    provider: provider === '' ? '' : references(provider),
    extensionRef: resource.extension === undefined ? '' : withRef(resource.extension).ref,
    ...(resource.inputs === undefined ? {} : { inputs: open(resource.inputs) }),
    ...(resource.outputs === undefined ? {} : { outputs: open(resource.outputs) }),
  })
  const planned = resource.isChosen ? 'chosen' : 'whole'
  return stepOf({ op: 'import', effect: 'add', next, planned, skipCall: !next.custom })
}

/** Tells each import that cannot be; then nothing is imported, for which would be chance. */
function failRefused(
  ctx: GeneratorContext,
  ready: readonly (readonly [PlacedImport, Step])[],
): void {
  const refused = ready.filter(([{ refusal }]) => refusal !== undefined)
  for (const [{ refusal = '' }, step] of refused) {
    ctx.emitter.emitBegin(step)
    ctx.emitter.emitEnd(step, failureEndOf({ message: refusal, status: 'ok' }))
  }
  if (refused.length === 0) return
  ctx.noteFailure()
  ctx.abort()
  throw new Bail()
}
