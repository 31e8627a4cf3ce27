import type { OperationId } from '../../records/ids.ts'
import { emptyMap } from '../../values/value.ts'
import { planLimitOf } from '../deployment/dispatch/parallel-limit.ts'
import type { Base } from '../deployment/state/base.ts'
import { operationOf } from '../deployment/state/step-operations.ts'
import type { PlannedOperation } from '../deployment/dispatch/hook-operations.ts'
import { followPlan, runPlan } from '../deployment/dispatch/run-plan.ts'
import { createSealing, type Sealing } from '../deployment/state/state-sealing.ts'
import type { GeneratorContext } from '../generator/context.ts'
import { DeploymentAborted, unwrap } from '../generator/finish-stage.ts'
import { chooseDefaultPackages } from '../generator/providers/default-packages.ts'
import { recordRegisteredOutputs } from '../generator/steps/record-registered-outputs.ts'
import { prepareImport, type PreparedImport } from '../generator/import/prepare-import-command.ts'
import { createJoinOperation, placeNodes } from '../generator/deletion/place-nodes.ts'
import { createPreviewRunner } from '../generator/steps/preview-runner.ts'
import { createBarriers, sliceWave } from '../graph/barriers.ts'
import type { Step } from '../step.ts'
import type { CommandDeps } from './command-deps.ts'
import { createCommandContext } from './command-context.ts'
import type { CommandRun } from './command-run.ts'
import { previewDepsOf } from './preview-deps.ts'
import { readRecordedPlan } from './recorded-plan.ts'

/**
 * Runs `import`: adopts existing resources, each one after its parent. The first failure ends the
 * deployment. Returns true when all imports succeeded. Source:
 * docs/spec/deployment.md#import-deployment.
 */
export async function deployImport(deps: CommandDeps, base: Base): Promise<boolean> {
  const { ctx } = createCommandContext(deps, base)
  const { steps, createdStack } = await prepareSteps(deps.run, ctx)
  const recordedPlan = readRecordedPlan(deps, base, 'imports')
  const plannedOperations =
    recordedPlan ?? planImportOperations(steps, { ...deps, ...planLimitOf(deps.pin) })
  const plan = { plannedOperations, isStoppedByFailure: true }
  const executePlan = (): Promise<{ readonly isComplete: boolean }> =>
    recordedPlan === undefined ? runPlan(deps, 'imports', plan) : followPlan(deps, plan)
  const hasSucceeded = plannedOperations.length === 0 || (await executePlan()).isComplete
  if (hasSucceeded && createdStack !== undefined)
    await recordRegisteredOutputs(ctx, createdStack, emptyMap)
  return hasSucceeded
}

/**
 * Emits the resources that an import would adopt. Their providers read them, and nothing is changed
 * (I11). Returns false after a failure.
 */
export async function previewImport(run: CommandRun, base: Base): Promise<boolean> {
  const ctx = run.createContext(base, createPreviewRunner(previewDepsOf(run), base))
  try {
    const { steps } = await prepareSteps(run, ctx)
    for (const step of steps) {
      const [endedStep] = await ctx.ports.runner.run({
        urn: step.urn,
        goalDigest: '',
        steps: [step],
        setsDelta: {},
      })
      if (endedStep?.end.verdict !== 'succeeded') return false
    }
    return true
  } catch (thrown) {
    // The failure was reported already.
    if (thrown instanceof DeploymentAborted) return false
    throw thrown
  }
}

async function prepareSteps(run: CommandRun, ctx: GeneratorContext): Promise<PreparedImport> {
  const { request } = run
  const defaultPackages = chooseDefaultPackages(
    await run.requiredPackages(),
    ctx.input.base.snapshot.resources,
  )
  const { openMap } = createSealing(request.secrets)
  const deps = { config: request.config, defaultPackages, open: openMap }
  return unwrap(ctx, await prepareImport(ctx, request.options.imports ?? [], deps))
}

/**
 * Returns the operations of an import. A child waits for its parent. If `concurrencyMax` is set, at
 * most that many operations run concurrently.
 */
function planImportOperations(
  steps: readonly Step[],
  deps: {
    readonly sealing: Sealing
    readonly nextId: () => OperationId
    readonly concurrencyMax?: number
  },
): readonly PlannedOperation[] {
  const { sealing, nextId, concurrencyMax = Infinity } = deps
  const stepsByUrn = new Map(steps.map(step => [step.urn as string, step]))
  const children = new Map<string, string[]>()
  const depths = new Map<string, number>()
  const waves: string[][] = []
  for (const { urn, next } of steps) {
    const parent = next?.parent ?? ''
    const parentDepth = depths.get(parent)
    const depth = parentDepth === undefined ? 0 : parentDepth + 1
    depths.set(urn, depth)
    ;(waves[depth] ??= []).push(urn)
    if (parentDepth !== undefined) children.set(parent, [...(children.get(parent) ?? []), urn])
  }
  const nodes = steps.map(({ urn }) => ({ key: urn, releases: children.get(urn) ?? [] }))
  const isBounded = steps.length > concurrencyMax
  const slices = isBounded ? waves.flatMap(wave => sliceWave(wave, concurrencyMax)) : []
  const waitMode = isBounded ? 'for whole waves' : 'for dependents'
  return placeNodes(nodes, { barriers: createBarriers(slices), waitMode, nextId }).map(
    ({ key, position }): PlannedOperation => {
      const step = stepsByUrn.get(key)
      if (step === undefined) return { operation: createJoinOperation(position), step }
      return { operation: operationOf(step, position, sealing), step }
    },
  )
}
