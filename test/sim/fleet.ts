import type { ServeRole } from '../../local/serve-stacks.ts'
import { createWorldClock } from './clock.ts'
import type { Fault } from './faults.ts'
import type { Machine, SimProcess } from './machine.ts'
import type { HostName } from './node.ts'
import { startServing, type StartedProcess } from './process.ts'

/** Processes that run operations for others. A dead one is restarted. */
export interface SimFleet {
  /** Shuts all processes down. Resolves when they have ended or were killed after a limit. */
  readonly end: () => Promise<void>
  /** Kills all running processes. The fleet restarts them. */
  readonly killAll: () => void
  /**
   * Shuts all running processes down. The fleet restarts them in the version that is then in use.
   */
  readonly replace: () => void
  /** Returns, for each position in `hosts`, the number of effects of its first process. */
  readonly effects: () => readonly number[]
}

/** Time that a process may take to shut down, in virtual ms. */
const shutdownLimitMs = 300_000

/**
 * Starts the fleet. A dead process is restarted within 20 seconds, in the version that is then in
 * use. The process at the first position sometimes also resumes deployments whose generator is
 * gone.
 */
export function startFleet(
  machine: Machine,
  options: {
    readonly key: string
    readonly hosts: readonly HostName[]
    readonly faults: readonly Fault[]
    readonly isNewer: () => boolean
    readonly onFault: (fault: Fault, process: SimProcess) => void
  },
): SimFleet {
  const { world } = machine
  const clock = createWorldClock(world.scheduler)
  const draw = world.draw.fork(`fleet ${options.key}`)
  const processes = new Map<number, StartedProcess>()
  const effects: number[] = options.hosts.map(() => 0)
  let isEnding = false
  const keepRunning = async (host: HostName, index: number): Promise<void> => {
    const roles: ReadonlySet<ServeRole> = new Set(
      index === 0 && draw.chance(0.5) ? ['generator', 'executor'] : ['executor'],
    )
    for (let startNumber = 0; !isEnding; startNumber += 1) {
      const faults = options.faults.filter(
        fault => fault.processIndex === index + 1 && fault.startNumber === startNumber,
      )
      const startedProcess = startServing(machine, {
        key: `${options.key}.e${index + 1}.${startNumber}`,
        host,
        isNewer: options.isNewer(),
        faults,
        roles,
        onFault: options.onFault,
      })
      processes.set(index, startedProcess)
      const end = await startedProcess.end
      if (startNumber === 0) effects[index] = startedProcess.launch.effects()
      processes.delete(index)
      if (end.kind === 'failed' && end.code === 'INTERNAL')
        world.violate(`internal error: ${end.message}`)
      if (!isEnding) world.cover('rule', 'a process is started again')
      if (!isEnding) await clock.sleep(draw.integer(200, 20_000))
    }
  }
  const runs = options.hosts.map(keepRunning)
  return {
    async end() {
      isEnding = true
      for (const startedProcess of processes.values()) startedProcess.stop()
      await Promise.race([Promise.all(runs), clock.sleep(shutdownLimitMs)])
      for (const { launch } of processes.values()) launch.node.crash()
    },
    killAll() {
      for (const { launch } of processes.values()) launch.node.crash()
    },
    replace() {
      for (const startedProcess of processes.values()) startedProcess.stop()
    },
    effects: () => effects.map((count, index) => processes.get(index)?.launch.effects() ?? count),
  }
}
