import { listOpenDeployments } from '../../shared/ports/open-deployments.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import { limits } from '../../shared/config/limits.ts'
import { createWorldClock } from './clock.ts'
import type { Fault } from './faults.ts'
import { type SimFleet, startFleet } from './fleet.ts'
import type { Machine } from './machine.ts'
import type { HostName } from './node.ts'
import { type CommandStart, type ProcessEnd, simStack, startCommand } from './process.ts'
import { createFaultHandler } from './fault-handler.ts'
import type { Scenario, ScenarioStep } from './scenario.ts'
import { hasPendingCreate, settlePendingCreates } from './settle-pending-creates.ts'

/** The dependencies of an operator, which runs commands and restarts them after a crash. */
export interface OperatorDeps {
  readonly machine: Machine
  readonly faults: readonly Fault[]
  /**
   * Numbers of effects, one list per step: of the first process of the command, then of the first
   * process at each position of the fleet.
   */
  readonly effects: (readonly number[])[]
}

/** Maximum number of attempts to reach the goal without further faults. */
const triesMax = 10
/** Maximum number of processes that the operator starts for one step. */
const startsMax = 5

/** Runs every step under faults, then commands without faults until the goal is reached. */
export async function operate(deps: OperatorDeps, scenario: Scenario): Promise<void> {
  const last = scenario.steps.at(-1)
  if (last === undefined) return
  const { machine } = deps
  const { world, cloud } = machine
  await createWorldClock(world.scheduler).sleep(1)
  const fleetEnds: Promise<void>[] = []
  for (const [stepIndex, step] of scenario.steps.entries()) {
    for (const { name, kind } of step.drift)
      if (cloud.drift(name, kind)) world.cover('fault', `an object ${kind} by itself`)
    fleetEnds.push((await runStep(deps, scenario, { step, stepIndex })).fleetEnd)
  }
  await Promise.all(fleetEnds)
  machine.sharedFaults.clear()
  const command = last.command === 'destroy' ? 'destroy' : 'up'
  const execute = 'here'
  await runUntilGoal(deps, scenario, {
    ...last,
    command,
    execute,
    refresh: false,
    refusals: new Set(),
  })
}

/** Runs one step. Returns once the serving processes are shutting down. */
async function runStep(
  deps: OperatorDeps,
  scenario: Scenario,
  { step, stepIndex }: { readonly step: ScenarioStep; readonly stepIndex: number },
): Promise<{ readonly fleetEnd: Promise<void> }> {
  const { machine } = deps
  const { world } = machine
  const draw = world.draw.fork(`operator ${stepIndex}`)
  const clock = createWorldClock(world.scheduler)
  const startedProcesses: Promise<unknown>[] = []
  const faults = deps.faults.filter(
    fault => fault.step === stepIndex && fault.startNumber !== 'any',
  )
  let resume = false
  let isUpgraded = stepIndex > scenario.upgradeAt
  const startStepFleet = (): SimFleet =>
    startFleet(machine, {
      key: `${stepIndex}`,
      hosts: scenario.executors,
      faults,
      isNewer: () => isUpgraded,
      onFault: (fault, process) => onFault(fault, process),
    })
  // A process of the fleet may reach a fault before `startStepFleet` returns.
  let startedFleet: SimFleet | undefined
  const onFault = createFaultHandler(machine, {
    step,
    isNewer: () => isUpgraded,
    startedProcesses,
    killFleet: () => startedFleet?.killAll(),
  })
  const fleet = startStepFleet()
  startedFleet = fleet
  if (step.targetGroups.length > 0) {
    const groups = step.targetGroups.map(targets => ({ ...step, targets, targetGroups: [] }))
    const runs = groups.map((group, index) =>
      runGroup(deps, { group, key: `${stepIndex}.${index}`, faults, index, onFault }),
    )
    const firstEffects = await Promise.all(runs)
    deps.effects.push([...firstEffects, ...fleet.effects()])
    await Promise.all(startedProcesses)
    return { fleetEnd: fleet.end() }
  }
  for (let startNumber = 0; startNumber < startsMax; startNumber += 1) {
    if (startNumber > 0 && stepIndex === scenario.upgradeAt && !isUpgraded) {
      world.cover('rule', 'a newer version takes over during a deployment')
      isUpgraded = true
      fleet.replace()
    }
    const host: HostName =
      startNumber > 0 && scenario.hasTwoHosts && draw.chance(0.4) ? 'there' : 'here'
    const isOlder = isUpgraded && startNumber > 0 && draw.chance(0.2)
    const startedCommand = startCommand(machine, {
      key: `${stepIndex}.${startNumber}`,
      host,
      isNewer: isUpgraded && !isOlder,
      step,
      resume,
      wait: false,
      faults: faults.filter(fault => fault.processIndex === 0 && fault.startNumber === startNumber),
      onFault,
    })
    const end = await startedCommand.end
    if (startNumber === 0) deps.effects.push([startedCommand.launch.effects(), ...fleet.effects()])
    noteEnd(deps, end)
    if (end.kind === 'done') break
    await clock.sleep(
      draw.chance(0.5)
        ? draw.integer(0, 500)
        : draw.integer(500, scenario.hasTwoHosts ? 110_000 : 30_000),
    )
    const choice = draw.unit()
    const isLast = stepIndex === scenario.steps.length - 1
    if (!isLast && choice < 0.2) break
    resume = mayResume(end) && choice < 0.75
  }
  await Promise.all(startedProcesses)
  return { fleetEnd: fleet.end() }
}

/** One of several targeted commands that run at the same time. */
interface GroupRun {
  readonly group: ScenarioStep
  readonly key: string
  readonly index: number
  readonly faults: readonly Fault[]
  readonly onFault: CommandStart['onFault']
}

/**
 * Runs a targeted command beside others, and starts or resumes it again after a crash. Returns the
 * number of effects of its first process.
 */
async function runGroup(
  { machine }: Pick<OperatorDeps, 'machine'>,
  { group, key, index, faults, onFault }: GroupRun,
): Promise<number> {
  const { world } = machine
  const clock = createWorldClock(world.scheduler)
  const draw = world.draw.fork(`group ${key}`)
  let firstEffects = 0
  let resumedDeployment: DeploymentId | undefined
  for (let startNumber = 0; startNumber < startsMax; startNumber += 1) {
    const startedCommand = startCommand(machine, {
      key: `${key}.${startNumber}`,
      host: 'here',
      isNewer: false,
      step: group,
      resume: resumedDeployment !== undefined,
      ...(resumedDeployment === undefined ? {} : { resumedDeployment }),
      wait: draw.chance(0.5),
      faults: faults.filter(
        fault => fault.processIndex === index && fault.startNumber === startNumber,
      ),
      onFault,
    })
    const end = await startedCommand.end
    if (startNumber === 0) firstEffects = startedCommand.launch.effects()
    noteEnd({ machine }, end)
    if (end.kind === 'failed' && end.code === 'STACK_BUSY')
      world.cover('rule', 'a targeted deployment meets the claim of another')
    if (end.kind === 'done') break
    await clock.sleep(draw.integer(0, 30_000))
    if (draw.chance(0.2)) break
    const openDeployment = listOpenDeployments(
      world.records.catalog.getStack(simStack) ?? { current: '' },
    ).find(deployment => machine.requestedSteps.get(deployment) === group)
    resumedDeployment = end.kind !== 'failed' && draw.chance(0.75) ? openDeployment : undefined
  }
  return firstEffects
}

function noteEnd({ machine: { world } }: Pick<OperatorDeps, 'machine'>, end: ProcessEnd): void {
  if (end.kind !== 'failed') return
  if (end.code === 'INTERNAL') world.violate(`internal error: ${end.message}`)
  if (end.code === 'RECORD_TOO_NEW') world.cover('rule', 'newer rules are refused by name')
  if (end.code === 'DEPLOYMENT_TAKEN_OVER') world.cover('rule', 'a deposed generator stops')
}

function mayResume(end: ProcessEnd): boolean {
  return end.kind !== 'failed' || end.code !== 'NOTHING_TO_RESUME'
}

/** Runs commands without faults until the goal is reached, at most `triesMax` commands. */
async function runUntilGoal(
  deps: OperatorDeps,
  scenario: Scenario,
  goal: ScenarioStep,
): Promise<void> {
  const { machine } = deps
  const { world, cloud } = machine
  const clock = createWorldClock(world.scheduler)
  const isNewer = scenario.upgradeAt < scenario.steps.length
  // Without faults and drift, the state equals the cloud, so no refresh is needed.
  const isAsRecorded =
    deps.faults.length === 0 &&
    scenario.steps.every(scenarioStep => scenarioStep.drift.length === 0)
  let [isResuming, successes] = [true, isAsRecorded ? 1 : 0]
  for (let tries = 0; tries < triesMax; tries += 1) {
    // After this time no earlier request can take effect.
    await clock.sleep(260_000)
    const pendingCreates = settlePendingCreates(world, cloud)
    const command = successes === 0 ? ({ command: 'refresh', refresh: false } as const) : {}
    const key = `last.${tries}`
    const startOptions = { host: 'here', isNewer, faults: [], onFault: () => undefined } as const
    // A current deployment may have operations that other processes must run.
    const hasOpenDeployment = world.records.catalog.getStack(simStack)?.current !== ''
    const hosts: readonly HostName[] =
      hasOpenDeployment && scenario.executors.length > 0 ? ['here'] : []
    const fleet = startFleet(machine, { ...startOptions, key, hosts, isNewer: () => isNewer })
    const { current = '' } = world.records.catalog.getStack(simStack) ?? {}
    const interruptedStep = current === '' ? undefined : machine.requestedSteps.get(current)
    const end = await startCommand(machine, {
      ...startOptions,
      key,
      step:
        isResuming && interruptedStep !== undefined
          ? interruptedStep
          : { ...goal, ...command, parallel: 16, targets: [], targetGroups: [] },
      resume: isResuming,
      ...(isResuming && current !== '' ? { resumedDeployment: current } : {}),
      wait: true,
      ...(isResuming ? {} : { pendingCreates }),
    }).end
    await fleet.end()
    if (end.kind === 'failed' && end.code === 'INTERNAL')
      world.violate(`internal error: ${end.message}`)
    if (end.kind === 'failed' && end.code === 'PENDING_STILL_RUNS') {
      world.cover('rule', 'a pending create is not cleared while it may still take effect')
      await clock.sleep(limits.lateWindowMs)
    }
    if (!isResuming && end.kind === 'done' && end.result?.result === 'succeeded') successes += 1
    // The refresh has read all drift.
    if (successes === 1) cloud.acceptDrift()
    isResuming = false
    // A pending create can remain if a deployment was open at each earlier check.
    if (successes >= 2 && !hasPendingCreate(world)) return
  }
  const { current } = world.records.catalog.getStack(simStack) ?? {}
  world.violate(`the goal was not reached without further faults (left: ${current})`)
}
