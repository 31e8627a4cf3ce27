import type { MeasuredRun } from '../cost/measured-forms.ts'
import { costOf } from '../../test/aws/counts.ts'
import type { Assumptions } from './assumptions.ts'
import { type CapacityPlan, planCapacity } from './capacity-model.ts'
import type { Coefficients, PlannedCommand } from './coefficients.ts'
import { shapeWavesOf } from './shapes.ts'

/** A measured command of the local cloud, and the prediction of the model for it. */
export interface CalibratedCommand {
  readonly command: PlannedCommand
  readonly resources: number
  readonly measured: {
    readonly seconds: number
    readonly writeUnits: number
    readonly cost: number
  }
  readonly model: { readonly seconds: number; readonly writeUnits: number; readonly cost: number }
}

/** The names of the measured commands. */
const measuredNames = { create: 'create', delete: 'destroy' } as const

/**
 * The largest factor that is tried for the processors of the measuring machine. The smallest is 1.
 */
const factorMax = 40

/**
 * Compares the model with the measured run of the local cloud. The machine has two processors for
 * functions and emulators together, so the model multiplies processor times by a factor. The factor
 * is fitted to the destroy. The create then shows how well the model predicts another command.
 */
export function calibrate(
  run: MeasuredRun,
  coefficients: Readonly<Record<PlannedCommand, Coefficients>>,
  assumptions: Assumptions,
): { readonly processorFactor: number; readonly commands: readonly CalibratedCommand[] } {
  const planOf = (command: PlannedCommand, factor: number): CapacityPlan => {
    const resources = resourcesOf(run, command)
    const deployment = {
      command,
      resources,
      waves: shapeWavesOf('flat', resources),
      callSeconds: run.delayMs / 1_000,
      parallel: run.parallel,
      executorsMax: run.executorsMax,
    }
    const slowAssumptions = assumeSlowProcessors(assumptions, factor)
    const { coldStarts } = phaseOf(run, command).counts
    // The functions of an earlier command are warm.
    const coldStart = { ...assumptions.coldStart, ...(coldStarts === 0 ? { value: 0 } : {}) }
    return planCapacity(deployment, coefficients[command], { ...slowAssumptions, coldStart })
  }
  const measuredSeconds = phaseOf(run, 'delete').seconds
  let [processorFactor, bestError] = [1, Number.POSITIVE_INFINITY]
  for (let factor = 1; factor <= factorMax; factor += 0.1) {
    const error = Math.abs(planOf('delete', factor).wallSeconds - measuredSeconds)
    if (error < bestError) [processorFactor, bestError] = [factor, error]
  }
  const commands = (['delete', 'create'] as const).map(command => {
    const { seconds, counts } = phaseOf(run, command)
    const plan = planOf(command, processorFactor)
    return {
      command,
      resources: resourcesOf(run, command),
      measured: { seconds, writeUnits: counts.writeUnits, cost: costOf(counts) },
      model: {
        seconds: plan.wallSeconds,
        writeUnits: plan.requests.writeUnits,
        cost: plan.cost,
      },
    }
  })
  return { processorFactor, commands }
}

function assumeSlowProcessors(assumptions: Assumptions, factor: number): Assumptions {
  const multiplyTime = ({
    value,
    ...unitAndSource
  }: Assumptions['executorCpu']): Assumptions['executorCpu'] => ({
    ...unitAndSource,
    value: value * factor,
  })
  return {
    ...assumptions,
    generatorCpuCreate: multiplyTime(assumptions.generatorCpuCreate),
    generatorCpuDelete: multiplyTime(assumptions.generatorCpuDelete),
    executorCpu: multiplyTime(assumptions.executorCpu),
  }
}

function phaseOf(run: MeasuredRun, command: PlannedCommand): MeasuredRun['phases'][number] {
  const phase = run.phases.find(({ name }) => name === measuredNames[command])
  if (phase === undefined) throw new Error(`the measured run has no ${measuredNames[command]}`)
  return phase
}

function resourcesOf(run: MeasuredRun, command: PlannedCommand): number {
  return phaseOf(run, command).resources
}
