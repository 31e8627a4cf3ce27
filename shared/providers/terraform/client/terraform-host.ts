import { rmSync } from 'node:fs'
import { pluginLimits as limits } from '../../../config/plugin-limits.ts'
import type { ProcessesPort } from '../../../ports/system.ts'
import { awaitFirstLine } from '../../plugins/await-first-line.ts'
import type { PluginMessage } from '../../plugins/plugin-message.ts'
import type { TraceCall } from '../../plugins/trace-call.ts'
import { retryStart } from '../../plugins/retry-start.ts'
import {
  type SelfSignedCertificate,
  createSelfSignedCertificate,
} from './self-signed-certificate.ts'
import {
  connectProvider,
  type ProviderProcess,
  type StartedProvider,
  type TerraformProcess,
} from './connect-provider.ts'
import { type Handshake, parseHandshake } from './handshake.ts'
import { createProviderChannel, shutDownProvider } from './provider-channel.ts'
import {
  createProviderEnvironment,
  explainRefusal,
  hasLogLevel,
  isTlsDisabled,
} from './provider-environment.ts'
import { createProviderOutput, type ProviderOutput } from './provider-output.ts'
import { findReattachedProvider, type ReattachedProvider } from './reattach.ts'

/** Dependencies of a host of Terraform providers. */
export interface TerraformHostDeps {
  readonly processes: ProcessesPort
  /** The user's environment, which providers inherit. */
  readonly env: Readonly<Record<string, string>>
  /** Reports a message to the user. Must not block and must not throw. */
  readonly report: (message: PluginMessage) => void
  /** Traces the calls of providers. Absent: nothing is traced. */
  readonly traceCall?: TraceCall | undefined
}

/** A request to start a provider. */
export interface TerraformStartRequest {
  /** The name of the provider in messages. */
  readonly name: string
  /** The source address, such as `hashicorp/random`, by which TF_REATTACH_PROVIDERS names it. */
  readonly source: string
  /** The executable file of the provider. */
  readonly path: string
  readonly cwd: string
  /** The variables that the provider inherits. Default: those of the host. */
  readonly env?: Readonly<Record<string, string>>
  /** Removes secrets from a log line or an error text of the provider. */
  readonly redact?: (text: string) => string
  /** Kills the provider if it has not printed its handshake yet. */
  readonly abortSignal?: AbortSignal
  /** Returns true while all providers are being ended. Their ends are then not reported. */
  readonly isSilent?: () => boolean
  /** Whether the provider may defer changes. Default: false. */
  readonly isDeferralAllowed?: boolean
  /** Timeout for the handshake in ms, which only tests set. */
  readonly handshakeTimeoutMs?: number
}

/** Starts Terraform providers. */
export interface TerraformHost {
  /**
   * Starts a provider, or attaches to one that the user runs. A start that failed with
   * PLUGIN_FAILED is repeated. Throws PLUGIN_FAILED, or PLUGIN_HANDSHAKE for a refused handshake,
   * for example of another protocol than 5 or 6.
   */
  readonly start: (request: TerraformStartRequest) => Promise<TerraformProcess>
}

/** Creates a host. All its providers share one certificate, which is created at the first start. */
export function createTerraformHost(deps: TerraformHostDeps): TerraformHost {
  let certificate: SelfSignedCertificate | undefined
  let streamCount = 0
  const getCertificate = (): SelfSignedCertificate | undefined => {
    if (isTlsDisabled(deps.env)) return undefined
    certificate ??= createSelfSignedCertificate(Date.now())
    return certificate
  }
  return {
    async start(request) {
      const createOutput = (): ProviderOutput => {
        const output = createProviderOutput({
          plugin: request.name,
          report: deps.report,
          redact: request.redact ?? (text => text),
          streamId: streamCount + 1,
          showsTraces: hasLogLevel(deps.env),
        })
        streamCount += 2
        return output
      }
      const reattached = findReattachedProvider(deps.env, request.source)
      if (reattached !== undefined)
        return attach(deps, request, { reattached, output: createOutput() })
      const start = (): Promise<TerraformProcess> =>
        startOnce(deps, request, {
          clientCertificate: getCertificate(),
          output: createOutput(),
        })
      return retryStart(start, {
        shouldRetry: () => request.abortSignal?.aborted !== true,
        report: text =>
          deps.report({ plugin: request.name, severity: 'warning', text, streamId: 0 }),
      })
    },
  }
}

async function startOnce(
  deps: TerraformHostDeps,
  request: TerraformStartRequest,
  {
    clientCertificate,
    output,
  }: {
    readonly clientCertificate: SelfSignedCertificate | undefined
    readonly output: ProviderOutput
  },
): Promise<TerraformProcess> {
  const { name, path, cwd } = request
  const userVariables = request.env ?? deps.env
  const env = createProviderEnvironment(userVariables, clientCertificate?.certificate)
  const child = deps.processes.spawn({ command: path, args: [], cwd, env })
  const started = await awaitFirstLine<Handshake>(child, {
    name,
    path,
    lineName: 'its handshake',
    parse: line => parseHandshake(line, { expectsTls: clientCertificate !== undefined }),
    timeoutMs: request.handshakeTimeoutMs ?? limits.handshakeTimeoutMs,
    onLine: output.addLine,
    listReportLines: output.listReportLines,
    abortSignal: request.abortSignal,
    explainEnd: explainRefusal,
  })
  const handshake = started.content
  const { serverCertificate } = handshake
  const tls =
    clientCertificate === undefined || serverCertificate === undefined
      ? undefined
      : { clientCertificate, serverCertificate }
  const client = createProviderChannel(handshake.target, tls)
  const pluginProcess: ProviderProcess = {
    name,
    path,
    exitDescription: started.exitDescription,
    readLastLines: started.readLastLines,
    async stop({ isGraceful }) {
      if (isGraceful) await shutDownProvider(client)
      client.close()
      await started.stop({ graceMs: isGraceful ? limits.providerShutdownMs : 0 })
      if (handshake.socketPath !== undefined) rmSync(handshake.socketPath, { force: true })
    },
  }
  return connectProvider({
    ...pickConnectOptions(deps, request),
    address: handshake,
    client,
    pluginProcess,
    output,
  })
}

/** Attaches to a provider that the user runs. `close` of the result never signals the process. */
async function attach(
  deps: TerraformHostDeps,
  request: TerraformStartRequest,
  {
    reattached,
    output,
  }: { readonly reattached: ReattachedProvider; readonly output: ProviderOutput },
): Promise<TerraformProcess> {
  const client = createProviderChannel(reattached.target, undefined)
  const pluginProcess: ProviderProcess = {
    name: request.name,
    path: reattached.target,
    isAttached: true,
    exitDescription: new Promise<string>(() => undefined),
    readLastLines: () => Promise.resolve([]),
    async stop({ isGraceful }) {
      if (isGraceful && !reattached.isTest) await shutDownProvider(client)
      client.close()
    },
  }
  return connectProvider({
    ...pickConnectOptions(deps, request),
    address: reattached,
    client,
    pluginProcess,
    output,
  })
}

function pickConnectOptions(
  { report, traceCall }: TerraformHostDeps,
  { isSilent = () => false, isDeferralAllowed = false }: TerraformStartRequest,
): Pick<StartedProvider, 'report' | 'traceCall' | 'isSilent' | 'isDeferralAllowed'> {
  return { report, traceCall, isSilent, isDeferralAllowed }
}
