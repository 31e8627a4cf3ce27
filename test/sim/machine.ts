import { compact } from '../../shared/runtime/compaction/fold-and-publish.ts'
import type { GeneratorPorts } from '../../shared/runtime/deployment/generator-ports.ts'
import type { ProcessGroup } from '../../shared/records/head.ts'
import type { DeploymentId } from '../../shared/records/ids.ts'
import type { Holder } from '../../shared/records/log.ts'
import type { ModelCloud } from './model-cloud.ts'
import type { Fault } from './faults.ts'
import { type Launch, launchProcess } from './network.ts'
import { type HostName, type SimNode, startNode } from './node.ts'
import { createPlugins, type SimPlugins } from './plugins.ts'
import type { ScenarioStep } from './scenario.ts'
import type { World } from './world.ts'
import { limits } from '../../shared/config/limits.ts'

/** The start parameters of a process. */
export interface ProcessStart {
  readonly key: string
  readonly host: HostName
  /** Whether the process runs a version with newer rules. */
  readonly isNewer: boolean
  readonly faults: readonly Fault[]
  /** Handles the consequences of a fault beyond the effect that it strikes. */
  readonly onFault: (fault: Fault, process: SimProcess) => void
}

/** One process with its ports. */
export interface SimProcess {
  readonly key: string
  readonly host: HostName
  readonly node: SimNode
  readonly launch: Launch
  readonly ports: GeneratorPorts
  readonly plugins: (
    step: Pick<ScenarioStep, 'refusals' | 'parallel' | 'execute'>,
    deployment?: DeploymentId,
  ) => SimPlugins
}

/** All processes of a world, including dead ones. */
export interface Machine {
  readonly world: World
  readonly cloud: ModelCloud
  readonly startProcess: (start: ProcessStart) => SimProcess
  /** Makes the other host consider a living process dead, as a late watchdog nudge does. */
  readonly suspect: (process: SimProcess) => void
  /** The step that started each deployment, for processes that resume the deployment. */
  readonly requestedSteps: Map<DeploymentId, ScenarioStep>
  /** Faults that wait for their effect in all processes. */
  readonly sharedFaults: Set<Fault>
}

/** The difference of the pid of a process group and the number of its process. */
const firstGroupPid = 1_000_000

/** Creates hosts without processes. */
export function createMachine(world: World, cloud: ModelCloud, faults: readonly Fault[]): Machine {
  const sharedFaults = new Set(faults.filter(({ startNumber }) => startNumber === 'any'))
  const processes = new Map<number, SimProcess>()
  const suspectedPids = new Set<number>()
  const isAlive = (
    host: HostName,
    other: Pick<Holder, 'host' | 'pid' | 'started'>,
  ): boolean | undefined => {
    if (other.host !== host) return undefined
    if (other.pid < firstGroupPid) return processes.get(other.pid)?.node.isDead() === false
    return processes.get(other.pid - firstGroupPid)?.launch.hasPlugins() === true
  }
  /**
   * Reports whether a holder lives. A holder on another host counts as dead if it is suspected, or
   * silent for longer than the delay of a watchdog nudge. Otherwise the result is undefined.
   */
  const isHolderAlive = (host: HostName, { pid, ...other }: Holder): boolean | undefined => {
    if (other.host === host) return isAlive(host, { pid, ...other })
    const isSilent = (processes.get(pid)?.node.silentMs() ?? 0) > limits.watchdogNudgeMs
    return suspectedPids.has(pid) || isSilent ? false : undefined
  }
  return {
    world,
    cloud,
    requestedSteps: new Map(),
    sharedFaults,
    suspect: ({ node }) => void suspectedPids.add(node.number),
    startProcess({ key, host, isNewer, faults, onFault }) {
      const number = processes.size + 1
      const node = startNode(world.scheduler, { number, host }, world.draw.fork(`node ${number}`))
      const launch: Launch = launchProcess(world, {
        key,
        node,
        isNewer,
        faults,
        sharedFaults,
        faultHandlers: { onFault: fault => onFault(fault, process) },
      })
      const group: ProcessGroup = { pid: firstGroupPid + number, started: 'then' }
      const process: SimProcess = {
        key,
        host,
        node,
        launch,
        ports: {
          ...launch.platform,
          // No stack of the simulation has a rule for approvals.
          documents: { get: async () => undefined, putExpiring: async () => false },
          leases: {
            ...launch.platform.leases,
            retire(deployment, executor) {
              const lease = world.records.leases
                .list(deployment)
                .find(candidate => candidate.executor === executor)
              if (lease?.holder.pid !== number)
                world.cover('rule', 'an executor is retired by another')
              return launch.platform.leases.retire(deployment, executor)
            },
          },
          compact: deployment => compact(launch.platform, deployment),
          holder: node.holder,
          isAlive: other => isAlive(host, other),
          isHolderAlive: other => isHolderAlive(host, other),
          endProcessGroup(deadGroup) {
            world.cover('rule', 'plugins of a dead process are ended')
            processes.get(deadGroup.pid - firstGroupPid)?.launch.endPlugins()
          },
        },
        plugins: ({ refusals, parallel, execute }, deployment) =>
          createPlugins(launch, cloud, {
            refusals,
            parallel,
            // The generator of functions and the queue in memory apply `parallel` to all
            // processes together. SQS does not, so each process applies it to itself.
            isShared:
              execute === 'functions' || (execute === 'elsewhere' && world.aws === undefined),
            deployment,
            group,
          }),
      }
      processes.set(number, process)
      world.trace(`${key} starts on ${host}${isNewer ? ', a newer version' : ''}`)
      return process
    },
  }
}
