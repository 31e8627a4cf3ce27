import type { StepEmitter } from '../../engine/events/step-emitter.ts'
import type { MonitorServer } from '../../engine/monitor/monitor-server.ts'
import type { DeployInput } from '../../engine/request.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import type { AnalyzerHost } from '../../providers/analyzers/analyzer.ts'
import { limitAnalyzerConcurrency } from '../../providers/analyzers/limit-analyzer-concurrency.ts'
import type { PluginHost } from '../../providers/provider.ts'
import { stackPartsOf } from '../../records/ids.ts'
import { createAnalyzerHost } from './analyzer-host.ts'

/**
 * Creates the host of a run's policy packs. `PULUMI_PARALLEL_ANALYZE` limits their concurrent
 * calls.
 */
export function createPolicyPackHost(
  request: DeployInput,
  deps: {
    readonly env: Readonly<Record<string, string>>
    readonly processes: ProcessesPort
    readonly monitor: MonitorServer
    readonly emitter: StepEmitter
  },
): AnalyzerHost {
  const { env, processes, monitor, emitter } = deps
  const { project, stack } = stackPartsOf(request.stack)
  const packs = createAnalyzerHost({
    processes,
    env,
    antichainNode: process.execPath,
    projectFolder: request.source.projectFolder,
    engineAddress: () => monitor.address,
    context: {
      project,
      stack,
      organization: 'organization',
      dryRun: request.dryRun,
      config: new Map([...request.config].map(([key, { text }]) => [key, text])),
      configSecretKeys: [...request.config].flatMap(([key, { isSecret }]) =>
        isSecret ? [key] : [],
      ),
    },
    onOutput: (line, stream) =>
      emitter.report(stream === 'stdout' ? 'info' : 'info#err', `${line}\n`),
  })
  return limitAnalyzerConcurrency(packs, Number(env['PULUMI_PARALLEL_ANALYZE'] ?? ''))
}

/** Returns a plugin host that cancels and closes plugins and policy packs together. */
export function withPolicyPacks(plugins: PluginHost, packs: AnalyzerHost): PluginHost {
  return {
    ...plugins,
    async cancelAll() {
      await Promise.all([plugins.cancelAll(), packs.cancelAll()])
    },
    async close() {
      await Promise.all([plugins.close(), packs.close()])
    },
  }
}
