import { compact } from '../../functions/compaction/handle.ts'
import type { GeneratorPorts } from '../../functions/step-generator/start.ts'
import { deploy } from '../../local/deploy.ts'
import type { DeployRequest, DeployResult, RunningDeployment } from '../../shared/engine/request.ts'
import { DeployError } from '../../shared/errors/error.ts'
import { stackIdOf } from '../../shared/records/ids.ts'
import type { Cloud } from './cloud.ts'
import type { Fault } from './faults.ts'
import { type Launch, launchOn } from './network.ts'
import { type SimNode, startNode } from './node.ts'
import { createPlugins } from './plugins.ts'
import { createMonitor, programHostOf } from './program.ts'
import type { Step } from './scenario.ts'
import { simSecrets } from './secrets.ts'
import type { World } from './world.ts'

/** The stack that every scenario is about. */
export const simStack = stackIdOf('sim', 'dev')

/** What a process came to. `gone`: it died, or was killed. */
export type ProcessEnd =
  | { readonly kind: 'done'; readonly result: DeployResult }
  | { readonly kind: 'failed'; readonly code: string; readonly message: string }
  | { readonly kind: 'gone' }

/** What a process is started with. */
export interface Started {
  readonly key: string
  readonly step: Step
  readonly resume: boolean
  readonly wait: boolean
  readonly faults: readonly Fault[]
  readonly pendingCreates?: DeployRequest['pendingCreates']
  /** What a fault does beyond the process. */
  readonly pulled: (fault: Fault, launch: Launch) => void
}

/** The processes of one machine. */
export interface Machine {
  readonly start: (about: Started) => { readonly launch: Launch; readonly end: Promise<ProcessEnd> }
}

/** A machine on which nothing runs. */
export function createMachine(world: World, cloud: Cloud): Machine {
  const nodes = new Map<number, SimNode>()
  return {
    start(about) {
      const number = nodes.size + 1
      const node = startNode(world.scheduler, number, world.draw.fork(`node ${number}`))
      nodes.set(number, node)
      let running: RunningDeployment | undefined
      const launch: Launch = launchOn(world, {
        key: about.key,
        node,
        faults: about.faults,
        levers: {
          pull(fault) {
            if (fault.kind === 'cancelled by its terminal') running?.cancel()
            if (fault.kind === 'terminated by its terminal') running?.terminate()
            about.pulled(fault, launch)
          },
        },
      })
      const monitor = createMonitor(world.scheduler, node)
      const plugins = createPlugins(launch, cloud, about.step.refuses)
      const ports: GeneratorPorts = {
        ...launch.platform,
        compact: deployment => compact(launch.platform, deployment),
        holder: node.holder,
        isAlive: other => nodes.get(other.pid)?.isDead() === false,
        endGroup: () => undefined,
      }
      const run = async (): Promise<DeployResult> => {
        running = await deploy({
          platform: launch.platform,
          ports,
          request: requestOf(about),
          sink: {
            emit(event) {
              if ('diagnosticEvent' in event && event.diagnosticEvent.severity === 'error')
                world.trace(`${about.key} says: ${event.diagnosticEvent.message.trim()}`)
            },
          },
          hosts: () => ({
            programs: programHostOf(monitor, about.step.program),
            plugins: plugins.host,
            monitor: monitor.server,
            processes: plugins.processes,
          }),
        })
        return running.done
      }
      world.trace(`${about.key} starts${about.resume ? ' to go on' : ''}`)
      const end = Promise.race([
        run().then(
          (result): ProcessEnd => ({ kind: 'done', result }),
          (thrown: unknown): ProcessEnd => failureOf(thrown),
        ),
        node.died.then((): ProcessEnd => ({ kind: 'gone' })),
      ]).then(ended => {
        world.trace(
          `${about.key} ends: ${ended.kind === 'done' ? ended.result.result : textOf(ended)}`,
        )
        // A process that has come to its end leaves nothing behind.
        node.crash()
        return ended
      })
      return { launch, end }
    },
  }
}

function textOf(ended: Exclude<ProcessEnd, { kind: 'done' }>): string {
  return ended.kind === 'gone' ? 'gone' : `${ended.code} ${ended.message}`
}

function failureOf(thrown: unknown): ProcessEnd {
  if (thrown instanceof DeployError)
    return { kind: 'failed', code: thrown.code, message: thrown.message }
  const message = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown)
  return { kind: 'failed', code: 'INTERNAL', message }
}

function requestOf({ step, resume, wait, pendingCreates }: Started): DeployRequest {
  return {
    stack: simStack,
    source: {
      name: 'sim',
      root: '/simulated',
      directory: '/simulated',
      entryPoint: '.',
      runtime: 'simulated',
      runtimeOptions: {},
    },
    config: new Map(),
    secrets: simSecrets,
    dryRun: false,
    options: {
      command: step.command,
      parallel: step.parallel,
      refresh: step.refresh,
      continueOnError: step.continueOnError,
      execute: 'here',
      message: '',
    },
    program: simSecrets.digest(JSON.stringify(step.program)),
    resume,
    wait,
    pendingCreates: pendingCreates ?? { exist: new Map(), forget: false },
  }
}
