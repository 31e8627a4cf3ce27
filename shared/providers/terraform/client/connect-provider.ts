import type { Client } from '@grpc/grpc-js'
import { createError } from '../../../errors/error.ts'
import { callUnary, createProcessEndedError } from '../../plugins/connection.ts'
import type { PluginMessage } from '../../plugins/plugin-message.ts'
import { formatLastLines } from '../../plugins/plugin-output.ts'
import type { PluginProcess } from '../../plugins/start-plugin.ts'
import type { TraceCall } from '../../plugins/trace-call.ts'
import { type ProcessWatch, watchProcess } from '../../plugins/watch-process.ts'
import { createTerraformClient } from './create-terraform-client.ts'
import type { ProviderAddress } from './handshake.ts'
import { openStream, probeChannel, readProviderOutput } from './provider-channel.ts'
import type { ProviderOutput } from './provider-output.ts'
import type { TerraformConnection } from './terraform-calls.ts'
import type { TerraformClient } from './terraform-client.ts'

/** A running provider, with the client that calls it. */
export interface TerraformProcess {
  readonly client: TerraformClient
  readonly hasEnded: () => boolean
  /**
   * Ends the provider: Shutdown, then SIGKILL. A provider that the user runs gets no signal. A
   * provider that belongs to a test gets no Shutdown either. Never throws. Later calls have no
   * effect.
   */
  readonly close: () => Promise<void>
}

/** The process behind a running provider: how it ended, its last lines, and how to end it. */
export interface ProviderProcess extends Omit<PluginProcess, 'port' | 'stop'> {
  /**
   * Closes the channel and ends the process, with Shutdown first if `isGraceful`. A process that
   * the user runs is never killed.
   */
  readonly stop: (options: { readonly isGraceful: boolean }) => Promise<void>
}

/** A provider that has printed its handshake, or that the user runs. */
export interface StartedProvider {
  readonly address: ProviderAddress
  readonly client: Client
  readonly pluginProcess: ProviderProcess
  readonly output: ProviderOutput
  readonly report: (message: PluginMessage) => void
  readonly traceCall: TraceCall | undefined
  /** Returns true while all providers are being ended. Their ends are then not reported. */
  readonly isSilent: () => boolean
  readonly isDeferralAllowed: boolean
}

/** Connects to a provider. Throws PLUGIN_FAILED after the end of the process. */
export async function connectProvider(started: StartedProvider): Promise<TerraformProcess> {
  const { address, client, pluginProcess, output } = started
  const watch = watchProcess(pluginProcess, started)
  let pendingClose: Promise<void> | undefined
  const close = (): Promise<void> => {
    watch.expectEnd()
    pendingClose ??= pluginProcess.stop({ isGraceful: !watch.hasEnded() })
    return pendingClose
  }
  readProviderOutput(client, output.addLine)
  const problem = await Promise.race([
    probeChannel(client),
    pluginProcess.exitDescription.then(description => `${description} after its handshake`),
  ])
  if (problem !== undefined) {
    watch.expectEnd()
    const failure = await createNoResponseError(pluginProcess, watch, problem)
    await pluginProcess.stop({ isGraceful: false })
    throw failure
  }
  const connection: TerraformConnection = {
    name: pluginProcess.name,
    redact: output.redact,
    getExitReport: watch.getExitReport,
    async call(method, request, deadlineMs) {
      if (watch.hasEnded()) throw createProcessEndedError()
      if (started.traceCall === undefined) return callUnary(client, method, { request, deadlineMs })
      const { name: plugin } = pluginProcess
      return started.traceCall({ plugin, path: method.path }, metadata =>
        callUnary(client, method, { request, deadlineMs, metadata }),
      )
    },
    stream(method, request) {
      if (watch.hasEnded()) throw createProcessEndedError()
      return openStream(client, method, request)
    },
  }
  return {
    client: createTerraformClient(connection, {
      protocol: address.protocol,
      isDeferralAllowed: started.isDeferralAllowed,
    }),
    hasEnded: watch.hasEnded,
    close,
  }
}

async function createNoResponseError(
  pluginProcess: ProviderProcess,
  watch: ProcessWatch,
  problem: string,
): Promise<Error> {
  const exitReport = await watch.getExitReport()
  const lines = exitReport?.lines ?? (await pluginProcess.readLastLines())
  return createError(
    'PLUGIN_FAILED',
    `plugin '${pluginProcess.name}' (${pluginProcess.path}) does not respond: ${problem}${formatLastLines(lines)}`,
  )
}
