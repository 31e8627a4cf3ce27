import {
  isProviderType,
  providerTypeOf,
  providerReferenceOf,
} from '../../../names/provider-reference.ts'
import { nameOf, stackType, type Urn } from '../../../names/urn.ts'
import type { ImportedResource } from '../../../records/imported-resource.ts'
import { createResourceState, type ResourceState } from '../../../state/resource.ts'
import type { JsonObject } from '../../../values/value-codec.ts'
import { emptyMap, type PropertyMap } from '../../../values/value.ts'
import type { ConfigValue } from '../../request.ts'
import { type Step, stepOf } from '../../step.ts'
import { failureEndOf, successEndOf } from '../../step-end.ts'
import type { DecisionInput, GeneratorContext } from '../context.ts'
import { DeploymentAborted, finishStage } from '../finish-stage.ts'
import {
  toDecided,
  failDeployment,
  type Result,
  type StageResult,
  stoppedResult,
} from '../stage.ts'
import { runSteps, ensureProviderConfigured } from '../steps/run-steps.ts'
import { failCheck } from '../checks/fail-check.ts'
import { draftStateOf, type UrnAssignment } from '../registration/assign-urn.ts'
import { createDriver } from '../providers/resource-driver.ts'
import { registerResource } from '../registration/register-resource.ts'
import { emptyGoal, type Goal } from '../registration/goal.ts'
import {
  type ImportInput,
  findImportError,
  type NeededProvider,
  findNeededProviders,
  type PlannedImport,
  planImports,
} from './plan-import-command.ts'
import { withExtensionRef } from '../../../providers/package-request.ts'
import { withPlugin } from '../../../providers/provider-inputs.ts'
import { configInputsOf, registerExtension } from '../providers/default-providers.ts'
import { replayRecorded } from '../replay/replay-registration.ts'
import type { CurrentState } from '../sets.ts'

/** The dependencies of an import. `open`: opens the sealed properties that the user supplied. */
export interface ImportDeps extends Pick<ImportInput, 'defaultPackages'> {
  readonly config: ReadonlyMap<string, ConfigValue>
  readonly open: (sealed: JsonObject) => PropertyMap
}

/** A prepared import. Each step comes after the step of its parent. */
export interface PreparedImport {
  readonly steps: readonly Step[]
  /** The root resource of the stack. Undefined if it existed before the import. */
  readonly createdStack: CurrentState | undefined
}

/**
 * Prepares the command `import`. Emits existing resources as unchanged, and creates the root
 * resource and the providers that are missing. Source: docs/spec/deployment.md#import-deployment.
 */
export async function prepareImport(
  ctx: GeneratorContext,
  requestedImports: readonly ImportedResource[],
  deps: ImportDeps,
): Promise<Result<PreparedImport>> {
  const { stack, project, base, sets } = ctx.input
  const liveStateOf = (urn: Urn): ResourceState | undefined => {
    const index = base.liveIndexOf(urn)
    return index === undefined ? undefined : base.trackedStateAt(index).state
  }
  const input = { stack, project, liveStateOf, defaultPackages: deps.defaultPackages }
  const importError = findImportError(requestedImports, input)
  if (importError !== undefined) return failDeployment(importError)

  const existingResult = await emitExistingStates(ctx)
  if (existingResult.kind === 'failed') return existingResult

  const existingStack = base.snapshot.resources.find(
    state => state.type === stackType && state.parent === '' && !state.delete,
  )
  const stackResult =
    existingStack === undefined
      ? await registerResource(ctx, createStackGoal(ctx.input))
      : toDecided(undefined)
  if (stackResult.kind === 'failed') return stackResult
  const stackUrn = existingStack?.urn ?? stackResult.value?.state.urn
  if (stackUrn === undefined) throw new TypeError('the import has no stack resource')

  for (const neededProvider of findNeededProviders(requestedImports, input)) {
    const providerResult = await createProvider(ctx, neededProvider, deps)
    if (providerResult.kind === 'failed') return providerResult
  }
  const requireReference = (urn: Urn): string => {
    const id = liveStateOf(urn)?.id ?? sets.currentStates.get(urn)?.state.id
    if (id === undefined) throw new TypeError(`the import has no provider ${urn}`)
    return providerReferenceOf(urn, id)
  }
  for (const { extension } of requestedImports)
    if (extension !== undefined) registerExtension(ctx, withExtensionRef(extension))
  const imports = planImports(requestedImports, input, stackUrn).map(plannedImport => ({
    refusal: plannedImport.refusal,
    step: createImportCommandStep(plannedImport, requireReference, deps),
  }))
  const refusalResult = refuseImports(ctx, imports)
  if (refusalResult.kind === 'failed') return refusalResult
  return toDecided({ steps: imports.map(({ step }) => step), createdStack: stackResult.value })
}

/** Emits all live states as unchanged, and configures the provider resources among them. */
async function emitExistingStates(ctx: GeneratorContext): Promise<Result<void>> {
  const { emitter } = ctx.ports
  const { base } = ctx.input
  for (const [index, state] of base.snapshot.resources.entries()) {
    if (state.delete) continue
    const old = base.trackedStateAt(index)
    const step = stepOf({ op: 'same', effect: 'none', old, next: state })
    emitter.emitBegin(step)
    try {
      if (isProviderType(state.type)) await ensureProviderConfigured(ctx, state, state.inputs)
    } catch (thrown) {
      return failDeployment(thrown instanceof Error ? thrown.message : String(thrown), state.urn)
    }
    ctx.apply({ currentStates: [[state.urn, { ...old, op: 'same' }]] })
    emitter.emitEnd(step, successEndOf(state))
    emitter.count(step, successEndOf(state))
  }
  return toDecided(undefined)
}

function createStackGoal({ project, stack }: Pick<DecisionInput, 'project' | 'stack'>): Goal {
  return { ...emptyGoal, type: stackType, name: `${project}-${stack}`, custom: false }
}

/** Creates a provider that the imports need. */
async function createProvider(
  ctx: GeneratorContext,
  neededProvider: NeededProvider,
  deps: ImportDeps,
): Promise<StageResult<CurrentState>> {
  const { urn, plugin, parent } = neededProvider
  const inputs = withPlugin(readProviderInputs(neededProvider, deps), plugin)
  const goal = { ...emptyGoal, type: providerTypeOf(plugin.pkg), name: nameOf(urn), parent, inputs }
  const assignment = { urn, old: undefined, baseIndex: undefined, alias: undefined }
  ctx.apply({ goals: [[urn, goal]] })
  const replayResult = finishStage(
    ctx,
    await replayRecorded(ctx, assignment, ctx.ports.goalDigestOf(goal)),
  )
  if (replayResult.kind !== 'decided') return replayResult
  try {
    const createResult = await runProviderCreate(ctx, goal, assignment)
    if (createResult.kind !== 'failed' || createResult.failure.endedPart === 'deployment')
      return createResult
    // Without its provider an import cannot continue, even with `--continue-on-error`.
    return failDeployment('resource registration failed', urn)
  } catch (thrown) {
    if (thrown instanceof DeploymentAborted) return stoppedResult
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

/**
 * Checks and creates a provider. As in Pulumi, only the failures of the check are used, not the
 * checked inputs.
 */
async function runProviderCreate(
  ctx: GeneratorContext,
  goal: Goal,
  assignment: UrnAssignment,
): Promise<Result<CurrentState>> {
  const next = draftStateOf(goal, assignment)
  const seed = ctx.ports.randomSeed()
  const driverResult = await createDriver(ctx, next)
  if (driverResult.kind === 'failed') return driverResult
  const driver = driverResult.value
  const checkResult = await driver.check?.(undefined, goal.inputs, seed)
  if (checkResult?.kind === 'failed') return checkResult
  const failures = checkResult?.value.failures ?? []
  if (failures.length > 0) return failCheck({ ...goal, urn: assignment.urn }, failures)
  const registration = { goal, assignment, driver, next, comparedInputs: goal.inputs, seed }
  return runSteps(ctx, registration, [stepOf({ op: 'create', effect: 'add', next })])
}

function createImportCommandStep(
  { resource, urn, parent, provider }: PlannedImport,
  requireReference: (urn: Urn) => string,
  { open }: ImportDeps,
): Step {
  const next = createResourceState({
    urn,
    type: resource.type,
    custom: resource.component === 'no',
    parent,
    protect: resource.protect,
    importID: resource.id,
    provider: provider === '' ? '' : requireReference(provider),
    extensionRef: resource.extension === undefined ? '' : withExtensionRef(resource.extension).ref,
    ...(resource.inputs === undefined ? {} : { inputs: open(resource.inputs) }),
    ...(resource.outputs === undefined ? {} : { outputs: open(resource.outputs) }),
  })
  const importedProperties = resource.isChosen ? 'chosen' : 'whole'
  return stepOf({ op: 'import', effect: 'add', next, importedProperties, skipCall: !next.custom })
}

/** Emits each refused import as failed. If there is one, nothing is imported. */
function refuseImports(
  { ports }: GeneratorContext,
  imports: readonly { readonly refusal: string | undefined; readonly step: Step }[],
): Result<void> {
  const refusedImports = imports.filter(({ refusal }) => refusal !== undefined)
  for (const { refusal = '', step } of refusedImports) {
    ports.emitter.emitBegin(step)
    ports.emitter.emitEnd(step, failureEndOf({ message: refusal, status: 'ok' }))
  }
  return refusedImports.length === 0 ? toDecided(undefined) : stoppedResult
}
