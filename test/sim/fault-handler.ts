import { readState } from '../../shared/runtime/compaction/fold-and-publish.ts'
import type { ServeRole } from '../../local/serve-stacks.ts'
import { removeOldRecords } from '../../shared/engine/deployment/retention/remove-old-records.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import { createWorldClock } from './clock.ts'
import type { Fault } from './faults.ts'
import type { Machine, SimProcess } from './machine.ts'
import type { HostName } from './node.ts'
import { type ProcessEnd, simStack, startCommand, startServing, startWork } from './process.ts'
import type { ScenarioStep } from './scenario.ts'

/**
 * Returns a handler for the consequences of faults beyond the struck effect. Most consequences are
 * the start of another process.
 */
export function createFaultHandler(
  machine: Machine,
  options: {
    readonly step: ScenarioStep
    readonly isNewer: () => boolean
    /** Ends of the processes that this handler starts. The operator awaits them in each step. */
    readonly startedProcesses: Promise<unknown>[]
    readonly killFleet: () => void
  },
): (fault: Fault, process: SimProcess) => void {
  const { world } = machine
  const { step, startedProcesses } = options
  const clock = createWorldClock(world.scheduler)
  let count = 0
  const createStart = (process: SimProcess) => {
    count += 1
    const key = `${process.key}+${count}`
    return { key, faults: [], onFault: () => undefined, isNewer: options.isNewer() }
  }
  const runCommand = async (
    process: SimProcess,
    input: { readonly magnitude: number; readonly host: HostName; readonly isNewer: boolean },
  ): Promise<ProcessEnd> => {
    const { magnitude, ...startOptions } = input
    const commandOptions = { step, resume: magnitude < 0.4, wait: magnitude > 0.6 }
    const end = await startCommand(machine, {
      ...createStart(process),
      ...startOptions,
      ...commandOptions,
    }).end
    if (end.kind === 'failed' && end.code === 'RECORD_TOO_NEW')
      world.cover('rule', 'newer rules are refused by name')
    return end
  }
  /** Starts a serving process of an older version for a limited time. */
  const serveOlder = async (process: SimProcess): Promise<ProcessEnd> => {
    const { host } = process
    const roles: ReadonlySet<ServeRole> = new Set(['generator', 'executor'])
    const startOptions = { ...createStart(process), host, roles, isNewer: false }
    const servingProcess = startServing(machine, startOptions)
    await clock.sleep(10_000)
    servingProcess.stop()
    await Promise.race([servingProcess.end, clock.sleep(60_000)])
    servingProcess.launch.node.crash()
    return servingProcess.end
  }
  const otherHostOf = ({ host }: SimProcess): HostName => (host === 'here' ? 'there' : 'here')
  return (fault, process) => {
    const { kind, magnitude } = fault
    const { host } = process
    const isNewer = options.isNewer()
    const deployment = process.launch.deployment()
    const startOther = (work: () => Promise<ProcessEnd>): void =>
      void startedProcesses.push(
        work().then(end => {
          if (end.kind === 'failed' && end.code === 'INTERNAL')
            world.violate(`internal error: ${end.message}`)
        }),
      )
    if (kind === 'stopped from elsewhere' && deployment !== undefined)
      void world.manualWrites.stop(deployment, magnitude < 0.5 ? 'graceful' : 'forced')
    if (kind === 'second trigger')
      startOther(() => runCommand(process, { magnitude, host, isNewer }))
    if (kind === 'an older version is started' && magnitude < 0.5)
      startOther(() => runCommand(process, { magnitude: magnitude * 2, host, isNewer: false }))
    else if (kind === 'an older version is started') startOther(() => serveOlder(process))
    if (kind === 'everything is killed') {
      options.killFleet()
      process.node.crash()
    }
    if (kind === 'taken for dead by another host') {
      machine.suspect(process)
      startOther(() => runCommand(process, { magnitude, host: otherHostOf(process), isNewer }))
    }
    if (kind.endsWith('deposed meanwhile'))
      startOther(async () => {
        // The frozen process counts as dead after 90 s (`watchdogNudgeMs`), and wakes later.
        await clock.sleep(92_000 + magnitude * 30_000)
        return runCommand(process, { magnitude, host: otherHostOf(process), isNewer })
      })
    if (kind === 'old records are removed')
      startOther(() => startWork(machine, { ...createStart(process), host }, removeRecords).end)
    if (kind === 'the state is read meanwhile')
      startOther(() => startWork(machine, { ...createStart(process), host }, readStates).end)
  }

  /** Removes old records, in four rounds with 20 s after each. A failed round is ignored. */
  async function removeRecords({ launch, ports }: SimProcess): Promise<undefined> {
    const { platform } = launch
    for (let round = 0; round < 4; round += 1) {
      const removal = await removeOldRecords(
        { ...platform, isAlive: ports.isAlive },
        { policy: { recordsKeptMs: 0, versionsKept: 2 }, deploymentsMax: 3, dryRun: false },
      ).catch(() => ({ deployments: [], removedVersions: [] }))
      if (removal.deployments.length > 0) world.cover('rule', 'records of a deployment are removed')
      if (removal.removedVersions.length > 0) world.cover('rule', 'versions are removed')
      await platform.clock.sleep(20_000)
    }
    return undefined
  }

  /** Reads the state up to twelve times while other processes write. Every state must be valid. */
  async function readStates({ key, launch }: SimProcess): Promise<undefined> {
    const { platform } = launch
    for (let round = 0; round < 12; round += 1) {
      const stack = await platform.catalog.getStack(simStack)
      if (stack === undefined) return undefined
      const state = await readState(platform, stack)
      const integrityError = verifyIntegrity(state)
      if (integrityError !== undefined)
        world.violate(`${key} read a state with an integrity error: ${integrityError}`)
      world.cover('checked', 'a state that was read meanwhile is valid')
      await platform.clock.sleep(700)
    }
    return undefined
  }
}
