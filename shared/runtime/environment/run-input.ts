import type { GeneratorPorts } from '../deployment/generator-ports.ts'
import type { FetchPlugin } from '../plugins/fetch-plugin.ts'
import type { EventSink } from '../../engine/events/event.ts'
import type { MonitorServer } from '../../engine/monitor/monitor-server.ts'
import type { DeployInput } from '../../engine/request.ts'
import type { Platform } from '../../ports/platform.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import type { ProgramHost } from '../../programs/program.ts'
import type { AnalyzerHost } from '../../providers/analyzers/analyzer.ts'
import type { PluginHost } from '../../providers/provider.ts'
import type { OpenStateManager } from './read-stack-references.ts'

/** The input of one deployment or preview. */
export interface RunInput {
  readonly platform: Platform
  readonly ports: GeneratorPorts
  readonly request: DeployInput
  readonly sink: EventSink
  /** The step counts that successive generator runs of this deployment in this process share. */
  readonly sharedCounts?: Map<string, number>
  /**
   * Creates the hosts of a test, separately for each generator run. Absent: hosts that start real
   * processes.
   */
  readonly hosts?: () => Hosts
  /** The environment of programs and plugins. Absent: that of this process. */
  readonly variables?: Readonly<Record<string, string>>
  /**
   * If functions execute the deployment, the generator itself runs operations while at most this
   * number is in flight. Absent or 0: executors run all operations.
   */
  readonly inlineOperationsMax?: number
  /** Installs missing plugins in the plugin cache. */
  readonly fetchPlugin?: FetchPlugin
  /**
   * Opens secrets of other stacks. Absent: the passphrase and the credentials in the environment of
   * this process open them.
   */
  readonly openStateManager?: OpenStateManager
}

/** The hosts of programs and plugins, and the monitor that programs and plugins call. */
export interface Hosts {
  readonly programs: ProgramHost
  readonly plugins: PluginHost
  readonly policyPacks?: AnalyzerHost
  readonly monitor?: MonitorServer
  readonly processes?: ProcessesPort
}
