import { join } from 'node:path'
import {
  type Client,
  type ClientReadableStream,
  credentials,
  type MethodDefinition,
} from '@grpc/grpc-js'
import {
  LanguageRuntimeClient,
  LanguageRuntimeService as service,
  type ProgramInfo,
  RunRequest,
} from '../../../proto/gen/pulumi/language.ts'
import { createError, messageOf } from '../../errors/error.ts'
import '../../errors/keep-padded-messages.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { findOnPath } from '../executables.ts'
import { isDoneWithin } from './is-done-within.ts'
import { readHostPort } from './read-host-port.ts'
import { withSchemaAttachment } from './schema-attachment.ts'
import type { LineListener } from './start-program-process.ts'
import type { RequiredPackage } from '../required-packages.ts'
import type { ProgramEnd, ProgramHost, ProgramInput, ProgramSource } from '../program.ts'
import { allowUnimplemented, createPackagesError, fetchPackages } from './fetch-packages.ts'

/** Dependencies of a program host that uses the host process of a language. */
export interface LanguageHostDeps {
  readonly processes: ProcessesPort
  /** The user's environment. */
  readonly env: Readonly<Record<string, string>>
  /** The engine's address, for the host: `127.0.0.1:<port>`. */
  readonly engineAddress: () => string
  /**
   * Obtains the file of a language's host that is not on the PATH. Returns undefined if there is
   * none. Absent: only the hosts of the project and of the PATH are found.
   */
  readonly obtainHost?: ((language: string) => Promise<string | undefined>) | undefined
  /** Time limit for a cancelled program to end, in ms. Default: 5 s. */
  readonly stopGraceMs?: number
}

/** Time limit for a host to shut down. */
const shutdownTimeoutMs = 5_000
const messageBytesMax = 400 * 1024 * 1024
/** Maximum number of lines that are kept from a host that lists packages. */
const errorLinesMax = 200

/**
 * Creates the host for programs of any language through the LanguageRuntime service of
 * `pulumi-language-<name>`. The file of this host is in the project, on the PATH or from
 * `obtainHost`, or the host is already running. Source: docs/spec/programs.md#language-runtime.
 */
export function createLanguageProgramHost(deps: LanguageHostDeps): ProgramHost {
  const { stopGraceMs = shutdownTimeoutMs } = deps
  return {
    run: async (programInput, onLine) => {
      const host = await startHost(deps, programInput, onLine)
      const response = host.call(service.run, toRunRequest(programInput)).then(
        ({ error: failure, bail }): ProgramEnd => ({
          error: failure === '' ? undefined : failure,
          hasReportedError: bail,
        }),
        (thrown: unknown): ProgramEnd => ({ error: messageOf(thrown), hasReportedError: false }),
      )
      const programEnd = response.then(async end => {
        await host.close()
        return end
      })
      return {
        programEnd,
        stop: async () => {
          const cancelCall = host.call(service.cancel, {}).catch(() => undefined)
          await isDoneWithin(Promise.all([cancelCall, programEnd]), stopGraceMs)
          host.kill()
          await programEnd
        },
      }
    },
    async listPackages(source) {
      const lines: string[] = []
      const host = await startHost(deps, source, (line, stream) => {
        if (stream === 'stderr' && lines.length < errorLinesMax) lines.push(line)
      })
      try {
        return await listAndClose(host, source)
      } catch (thrown) {
        throw createPackagesError(source.runtime, thrown, lines)
      }
    },
  }
}

/**
 * Lists the packages of a program, and closes the host. Then the output of the host is complete,
 * even if the host crashed.
 */
async function listAndClose(
  host: LanguageHost,
  source: ProgramSource,
): Promise<readonly RequiredPackage[]> {
  try {
    return await fetchPackages(host, { ...source, info: toProgramInfo(source) })
  } finally {
    await host.close()
  }
}

/** A running language host. */
export interface LanguageHost {
  readonly call: <Req, Res>(method: MethodDefinition<Req, Res>, request: Req) => Promise<Res>
  readonly stream: <Req, Res>(
    method: MethodDefinition<Req, Res>,
    request: Req,
  ) => ClientReadableStream<Res>
  /** Closes the connection. Shuts the host down if this process started it. */
  readonly close: () => Promise<void>
  /** Kills the host if this process started it. Otherwise cancels the running calls. */
  readonly kill: () => void
}

/**
 * Starts the host of a language, or attaches to a running one. Output lines after the line with the
 * port go to `onLine`. Throws RUNTIME_UNKNOWN, PROGRAM_LANGUAGE_FAILED and the errors of
 * `obtainHost`.
 */
export async function startHost(
  deps: LanguageHostDeps,
  source: ProgramSource,
  onLine: LineListener,
): Promise<LanguageHost> {
  if (source.runtime === clientRuntime) return attachHost(source)
  const name = `pulumi-language-${source.runtime}`
  const hostFolder = findProjectHost(source)
  const command =
    hostFolder === undefined
      ? (findOnPath(name, deps.env['PATH'] ?? '') ?? (await deps.obtainHost?.(source.runtime)))
      : join(hostFolder, name)
  if (command === undefined)
    throw createError(
      'RUNTIME_UNKNOWN',
      `the runtime '${source.runtime}' has no host: ${name} is not on PATH`,
    )
  const child = deps.processes.spawn({
    command,
    args: [deps.engineAddress()],
    cwd: source.programFolder,
    env: withSchemaAttachment(deps.env, source.runtime, deps.engineAddress()),
  })
  const kill = (): void => child.signal('SIGKILL')
  const port = await readHostPort(child, name, onLine).catch((thrown: unknown) => {
    kill()
    throw thrown
  })
  const client = createLanguageClient(`127.0.0.1:${port}`)
  const host: LanguageHost = {
    ...createCalls(client),
    async close() {
      client.close()
      child.signal('SIGINT')
      if (!(await isDoneWithin(child.exit, shutdownTimeoutMs))) kill()
    },
    kill,
  }
  await host
    .call(service.handshake, {
      engineAddress: deps.engineAddress(),
      rootDirectory: source.projectFolder,
      programDirectory: source.programFolder,
    })
    .catch(allowUnimplemented)
    .catch(async (thrown: unknown) => {
      await host.close()
      throw createError(
        'PROGRAM_LANGUAGE_FAILED',
        `${name} failed the handshake: ${messageOf(thrown)}`,
      )
    })
  return host
}

/** Returns the folder of the project's own host for a language, if the project has one. */
export function findProjectHost({
  runtime,
  plugins = [],
}: Pick<ProgramSource, 'runtime' | 'plugins'>): string | undefined {
  return plugins.find(({ kind, name }) => kind === 'language' && name === runtime)?.folder
}

/** The runtime name for a host that is already running. The option `address` has its address. */
export const clientRuntime = 'client'

/** Attaches to a host that another process started and will end. */
function attachHost({ runtimeOptions }: ProgramSource): LanguageHost {
  const { address } = runtimeOptions
  if (typeof address !== 'string' || address === '')
    throw createError(
      'RUNTIME_UNKNOWN',
      `the runtime '${clientRuntime}' needs the option \`address\``,
    )
  const client = createLanguageClient(address)
  const cancellation = new AbortController()
  return {
    ...createCalls(client, cancellation.signal),
    close: async () => client.close(),
    kill: () => cancellation.abort(),
  }
}

function createLanguageClient(address: string): Client {
  return new LanguageRuntimeClient(address, credentials.createInsecure(), {
    'grpc.max_receive_message_length': messageBytesMax,
    'grpc.max_send_message_length': messageBytesMax,
    'grpc.enable_http_proxy': 0,
  })
}

/** Returns the calls of a client. `signal` cancels the running calls of `call`. */
function createCalls(client: Client, signal?: AbortSignal): Pick<LanguageHost, 'call' | 'stream'> {
  return {
    call: (method, request) => makeUnaryCall({ client, method, signal }, request),
    stream: ({ path, requestSerialize, responseDeserialize }, request) =>
      client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request),
  }
}

function makeUnaryCall<Req, Res>(
  options: {
    readonly client: Client
    readonly method: MethodDefinition<Req, Res>
    readonly signal: AbortSignal | undefined
  },
  request: Req,
): Promise<Res> {
  const { client, method, signal } = options
  return new Promise((resolve, reject) => {
    const call = client.makeUnaryRequest(
      method.path,
      method.requestSerialize,
      method.responseDeserialize,
      request,
      (failure, response) => {
        if (failure !== null) reject(failure)
        else if (response === undefined) reject(new Error('no response'))
        else resolve(response)
      },
    )
    // Closing a client does not end its running calls.
    signal?.addEventListener('abort', () => call.cancel())
  })
}

/** Returns the description of a program for its host. */
export function toProgramInfo(source: ProgramSource): ProgramInfo {
  return {
    rootDirectory: source.projectFolder,
    programDirectory: source.programFolder,
    entryPoint: source.entryPoint,
    options: source.runtimeOptions,
  }
}

/** Returns the run request for a host. The engine serves its `loaderTarget` and `mapperTarget`. */
export function toRunRequest(programInput: ProgramInput): RunRequest {
  return RunRequest.create({
    project: programInput.project,
    stack: programInput.stack,
    pwd: programInput.programFolder,
    program: programInput.entryPoint,
    config: new Map(programInput.config),
    configSecretKeys: [...programInput.configSecretKeys],
    dryRun: programInput.dryRun,
    parallel: programInput.parallel,
    monitorAddress: programInput.monitorAddress,
    organization: programInput.organization,
    info: toProgramInfo(programInput),
    loaderTarget: programInput.engineAddress,
    mapperTarget: programInput.engineAddress,
    attachDebugger: programInput.onDebuggerReady !== undefined,
  })
}
