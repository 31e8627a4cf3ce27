import type { GeneratorPorts } from '../deployment/generator-ports.ts'
import type { FetchPlugin } from '../plugins/fetch-plugin.ts'
import type { EventSink } from '../../engine/events/event.ts'
import type { MonitorServer } from '../../engine/monitor/monitor-server.ts'
import type { DeployRequest } from '../../engine/request.ts'
import type { Platform } from '../../ports/platform.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import type { ProgramHost } from '../../programs/program.ts'
import type { AnalyzerHost } from '../../providers/analyzers/analyzer.ts'
import type { PluginHost } from '../../providers/provider.ts'
import type { OpenState } from './read-stack-references.ts'

/** What one deployment or preview is made of. */
export interface RunInput {
  readonly platform: Platform
  readonly ports: GeneratorPorts
  readonly request: DeployRequest
  readonly sink: EventSink
  /** What lives of this deployment counted in this process. */
  readonly counted?: Map<string, number>
  /** What a test brings of its own, for each life anew; the real ones otherwise. */
  readonly hosts?: () => Hosts
  /** The environment of programs and plugins; that of this process where it is absent. */
  readonly variables?: Readonly<Record<string, string>>
  /** Puts plugins that are nowhere into the plugin cache. */
  readonly fetchPlugin?: FetchPlugin
  /** Opens secrets of other stacks; as this process's environment says where it is absent. */
  readonly openState?: OpenState
}

/** What runs programs and plugins, and what those call. */
export interface Hosts {
  readonly programs: ProgramHost
  readonly plugins: PluginHost
  readonly policyPacks?: AnalyzerHost
  readonly monitor?: MonitorServer
  readonly processes?: ProcessesPort
}
