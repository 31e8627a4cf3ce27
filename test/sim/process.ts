import { deploy } from '../../local/deploy.ts'
import { serveStacks, type ServeRole } from '../../local/serve-stacks.ts'
import type { Hosts } from '../../shared/runtime/environment/run-input.ts'
import type { DeployInput, DeployResult, RunningDeployment } from '../../shared/engine/request.ts'
import { DeployError } from '../../shared/errors/error.ts'
import { type DeploymentId, stackIdOf } from '../../shared/records/ids.ts'
import type { Targeting } from '../../shared/records/targeting.ts'
import type { Launch } from './network.ts'
import type { Machine, ProcessStart, SimProcess } from './machine.ts'
import { createSimCallbacks } from './hooks.ts'
import { createMonitor, programHostOf } from './program.ts'
import { isDestroyByProgram, type ScenarioStep } from './scenario.ts'
import { simSecrets } from './secrets.ts'
import type { World } from './world.ts'

/** The stack of every scenario. */
export const simStack = stackIdOf('sim', 'dev')

/**
 * The end of a process. `done`: its work ended, with the result of its deployment, if any.
 * `failed`: its work threw an error. `gone`: the process died or was killed.
 */
export type ProcessEnd =
  | { readonly kind: 'done'; readonly result: DeployResult | undefined }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  | { readonly kind: 'gone' }

/** Start parameters of a process that runs a command. */
export interface CommandStart extends ProcessStart, Pick<DeployInput, 'resumedDeployment'> {
  readonly step: ScenarioStep
  readonly resume: boolean
  readonly wait: boolean
  readonly pendingCreates?: DeployInput['pendingCreates']
}

/** A started process. `stop` shuts it down as a user or a platform does. */
export interface StartedProcess {
  readonly launch: Launch
  readonly end: Promise<ProcessEnd>
  readonly stop: () => void
}

/** Starts a process that performs one task and ends. Its `stop` has no effect. */
export function startWork(
  machine: Machine,
  start: ProcessStart,
  work: (process: SimProcess) => Promise<DeployResult | undefined>,
): StartedProcess {
  const process = machine.startProcess(start)
  return { launch: process.launch, end: endOf(machine, process, work(process)), stop: () => {} }
}

/** Starts a process with a user's command. */
export function startCommand(machine: Machine, start: CommandStart): StartedProcess {
  let runningDeployment: RunningDeployment | undefined
  const process = machine.startProcess({
    ...start,
    onFault(fault, faultyProcess) {
      if (fault.kind === 'cancelled by its terminal') runningDeployment?.cancel()
      if (fault.kind === 'terminated by its terminal') runningDeployment?.terminate()
      start.onFault(fault, faultyProcess)
    },
  })
  const run = async (): Promise<DeployResult> => {
    runningDeployment = await deployIn(machine, process, start)
    return runningDeployment.done
  }
  return {
    launch: process.launch,
    end: endOf(machine, process, run()),
    stop: () => runningDeployment?.terminate(),
  }
}

/** Starts a serving process. It ends when it is stopped, or because of a fault. */
export function startServing(
  machine: Machine,
  start: ProcessStart & { readonly roles: ReadonlySet<ServeRole> },
): StartedProcess {
  const stopController = new AbortController()
  const { world } = machine
  const process = machine.startProcess({
    ...start,
    onFault(fault, faultyProcess) {
      if (fault.kind.endsWith('by its terminal')) stopController.abort()
      start.onFault(fault, faultyProcess)
    },
  })
  const { launch, ports } = process
  const stepOf = (deployment: DeploymentId): ScenarioStep => {
    const step = machine.requestedSteps.get(deployment)
    if (step === undefined) throw new TypeError(`the step of ${deployment} is unknown`)
    return step
  }
  const servingDeps = {
    platform: launch.platform,
    ports,
    hostsOf(deployment: DeploymentId) {
      launch.noteDeployment(deployment)
      return hostsOf(machine, process, { step: stepOf(deployment), deployment })
    },
  }
  const serveRun = serveStacks(servingDeps, {
    roles: start.roles,
    functionLimitMs: undefined,
    shutdown: stopController.signal,
    requestOf: async deployment =>
      requestOf({ step: stepOf(deployment), resume: true, wait: false }),
    async resume(deployment) {
      world.cover('rule', 'a deployment is resumed automatically')
      const input = {
        step: stepOf(deployment),
        resume: true,
        wait: false,
        handOverSignal: stopController.signal,
      }
      return (await deployIn(machine, process, input)).done
    },
    onMessage: line => {
      if (line.includes('newer antichain'))
        world.cover('rule', 'a serving process refuses newer rules')
      world.trace(`${start.key} says: ${line}`)
    },
  })
  const end = endOf(machine, process, serveRun)
  return { launch, end, stop: () => stopController.abort() }
}

type SimulatedInput = Pick<CommandStart, 'step' | 'resume' | 'wait' | 'pendingCreates'> &
  Pick<DeployInput, 'handOverSignal' | 'resumedDeployment'>

function deployIn(
  machine: Machine,
  process: SimProcess,
  input: SimulatedInput,
): Promise<RunningDeployment> {
  const { world } = machine
  const { launch, ports, key } = process
  const { execute, inlineOperationsMax } = input.step
  const rule = 'a generator runs an operation itself'
  return deploy({
    platform: execute === 'functions' ? coverBegins(machine, launch, rule) : launch.platform,
    inlineOperationsMax,
    ports: {
      ...ports,
      decisionLog: {
        ...ports.decisionLog,
        append(deployment, record) {
          if (!machine.requestedSteps.has(deployment))
            machine.requestedSteps.set(deployment, input.step)
          return ports.decisionLog.append(deployment, record)
        },
      },
    },
    request: requestOf(input),
    sink: {
      emit(event) {
        if ('diagnosticEvent' in event && event.diagnosticEvent.message.startsWith('Generator '))
          coverGeneratorEnd(world, event.diagnosticEvent.message)
        if ('diagnosticEvent' in event && event.diagnosticEvent.severity === 'error')
          world.trace(`${key} says: ${event.diagnosticEvent.message.trim()}`)
      },
    },
    hosts: () => hostsOf(machine, process, input),
  })
}

/** Returns the platform of a process. It counts each begin of an operation under `rule`. */
function coverBegins({ world }: Machine, { platform }: Launch, rule: string): Launch['platform'] {
  const { operations } = platform
  const begin: typeof operations.begin = (...request) => {
    world.cover('rule', rule)
    return operations.begin(...request)
  }
  return { ...platform, operations: { ...operations, begin } }
}

function hostsOf(
  { world, cloud }: Machine,
  { launch, plugins }: SimProcess,
  { step, deployment }: { readonly step: ScenarioStep; readonly deployment?: DeploymentId },
): Hosts {
  const { refusals } = step
  const callbacks = createSimCallbacks(world, launch, { rules: cloud.hooks, refusals, deployment })
  const monitor = createMonitor(world.scheduler, launch.node, callbacks)
  const simPlugins = plugins(step, deployment)
  return {
    programs: programHostOf(monitor, step),
    plugins: simPlugins.host,
    monitor: monitor.server,
    processes: simPlugins.processes,
  }
}

function endOf(
  { world }: Machine,
  { key, node }: SimProcess,
  work: Promise<DeployResult | undefined | void>,
): Promise<ProcessEnd> {
  return Promise.race([
    work.then(
      (result): ProcessEnd => ({ kind: 'done', result: result ?? undefined }),
      (thrown: unknown): ProcessEnd => failureOf(thrown),
    ),
    node.died.then((): ProcessEnd => ({ kind: 'gone' })),
  ]).then(processEnd => {
    world.trace(`${key} ends: ${textOf(processEnd)}`)
    // An ended process must not leave anything running.
    node.crash()
    return processEnd
  })
}

function textOf(processEnd: ProcessEnd): string {
  if (processEnd.kind === 'done') return processEnd.result?.result ?? 'done'
  return processEnd.kind === 'gone' ? 'gone' : `${processEnd.code} ${processEnd.message}`
}

function failureOf(thrown: unknown): ProcessEnd {
  if (thrown instanceof DeployError)
    return { kind: 'failed', code: thrown.code, message: thrown.message }
  const message = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  return { kind: 'failed', code: 'INTERNAL', message }
}

/** Returns the targeting of things by name, whatever their parents are. */
function targetingOf(names: readonly string[]): Targeting {
  return {
    targets: names.map(name => `**::${name}`),
    excludes: [],
    replaces: [],
    excludeDependents: false,
    excludeProtected: false,
    targetDependents: false,
  }
}

function requestOf({
  step,
  resume,
  resumedDeployment,
  wait,
  pendingCreates,
  handOverSignal,
}: SimulatedInput): DeployInput {
  return {
    stack: simStack,
    source: {
      name: 'sim',
      projectFolder: '/simulated',
      programFolder: '/simulated',
      entryPoint: '.',
      runtime: 'simulated',
      runtimeOptions: {},
      plugins: [],
    },
    config: new Map(),
    secrets: simSecrets,
    dryRun: false,
    options: {
      command: step.command,
      parallel: step.parallel,
      refresh: step.refresh,
      continueOnError: step.continueOnError,
      execute: step.execute,
      message: '',
      ...(step.targets.length === 0 ? {} : { targeting: targetingOf(step.targets) }),
      ...(isDestroyByProgram(step) ? { runProgram: true } : {}),
    },
    ...(step.functionLimitMs > 0 ? { functionLimitMs: step.functionLimitMs } : {}),
    ...(handOverSignal === undefined ? {} : { handOverSignal }),
    programDigest: simSecrets.digest(JSON.stringify(step.program)),
    resume,
    ...(resumedDeployment === undefined ? {} : { resumedDeployment }),
    wait,
    pendingCreates: pendingCreates ?? { existingIds: new Map(), mustClearOthers: false },
  }
}

/** A part of the message with which a generator ends → the covered rule. */
const generatorEnds: readonly (readonly [part: string, rule: string])[] = [
  ['parks', 'a generator parks'],
  ['shutting down', 'a generator hands over, because its process ends'],
  ['its time limit', 'a generator hands over at its time limit'],
  ['no time limit', 'a generator hands over to one without a time limit'],
]

function coverGeneratorEnd(world: World, message: string): void {
  for (const [part, rule] of generatorEnds) if (message.includes(part)) world.cover('rule', rule)
}
