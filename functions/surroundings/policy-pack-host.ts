import type { StepEmitter } from '../../shared/engine/events/step-emitter.ts'
import type { MonitorServer } from '../../shared/engine/monitor/monitor-server.ts'
import type { DeployRequest } from '../../shared/engine/request.ts'
import type { ProcessesPort } from '../../shared/ports/system.ts'
import type { AnalyzerHost } from '../../shared/providers/analyzers/analyzer.ts'
import { atMost } from '../../shared/providers/analyzers/at-most.ts'
import type { PluginHost } from '../../shared/providers/provider.ts'
import { stackPartsOf } from '../../shared/records/ids.ts'
import { createPolicyPacks } from './policy-packs.ts'

/** The host of the policy packs of a run. */
export function policyPackHost(
  request: DeployRequest,
  about: {
    readonly env: Readonly<Record<string, string>>
    readonly processes: ProcessesPort
    readonly monitor: MonitorServer
    readonly emitter: StepEmitter
  },
): AnalyzerHost {
  const { env, processes, monitor, emitter } = about
  const { project, stack } = stackPartsOf(request.stack)
  const packs = createPolicyPacks({
    processes,
    env,
    ourNode: process.execPath,
    root: request.source.root,
    engineAddress: () => monitor.address,
    surroundings: {
      ...{ project, stack },
      organization: 'organization',
      dryRun: request.dryRun,
      config: new Map([...request.config].map(([key, { text }]) => [key, text])),
      configSecretKeys: [...request.config].flatMap(([key, { secret }]) => (secret ? [key] : [])),
    },
    said: (line, stream) =>
      emitter.diagnostic(stream === 'stdout' ? 'info' : 'info#err', `${line}\n`),
  })
  return atMost(packs, Number(env['PULUMI_PARALLEL_ANALYZE'] ?? ''))
}

/** Plugins and policy packs, which are told to end together. */
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
