import { existsSync, readFileSync, statSync } from 'node:fs'
import { status } from '@grpc/grpc-js'
import { dirname, join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { createError, messageOf } from '../../errors/error.ts'
import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { findOnPath } from '../../programs/executables.ts'
import { chooseNode } from '../../programs/hosts/node-binary.ts'
import { findNodeSdk, type NodeSdk } from '../../programs/hosts/node-sdk.ts'
import { type PolicyProject, readPolicyProject } from '../../programs/project/policy-project.ts'
import type {
  Analyzer,
  AnalyzerHost,
  PolicyPackLocation,
} from '../../providers/analyzers/analyzer.ts'
import {
  fetchPackInfo,
  configurePack,
  createAnalyzer,
  initializePack,
  type PackContext,
} from '../../providers/analyzers/analyzer-driver.ts'
import {
  readPolicySettings,
  mergeSettings,
  applyPolicySettings,
  validateSettings,
} from '../../providers/analyzers/policy-settings.ts'
import {
  waitUntilReady,
  callUnary,
  type Connection,
  createClient,
} from '../../providers/plugins/connection.ts'
import { grpcCodeOf } from '../../providers/plugins/call-failures.ts'
import { withTimeout } from '../../config/with-timeout.ts'
import { type PluginProcess, startPlugin } from '../../providers/plugins/start-plugin.ts'

/** Dependencies of a host of policy packs. */
export interface AnalyzerHostDeps {
  readonly processes: ProcessesPort
  /** The user's environment, which packs inherit. */
  readonly env: Readonly<Record<string, string>>
  /** The path of Antichain's own `node`. */
  readonly antichainNode: string
  /** The project's folder. */
  readonly projectFolder: string
  readonly engineAddress: () => string
  readonly context: PackContext
  /** Receives the output lines of packs. Must not block and must not throw. */
  readonly onOutput: (line: string, stream: 'stdout' | 'stderr') => void
}

/**
 * Creates a host that runs policy packs as processes of this machine. Source:
 * docs/spec/monitor.md#analyzer-service.
 */
export function createAnalyzerHost(deps: AnalyzerHostDeps): AnalyzerHost {
  const runningPacks = new Set<Analyzer>()
  const loadAbort = new AbortController()
  const closeAll = async (): Promise<void> => {
    loadAbort.abort()
    await Promise.all([...runningPacks].map(pack => pack.close()))
  }
  return {
    async load(packs) {
      const results = await Promise.allSettled(
        packs.map(pack => loadPack(deps, pack, loadAbort.signal)),
      )
      const failure = results.find(result => result.status === 'rejected')
      const loadedPacks = results.flatMap(result =>
        result.status === 'fulfilled' ? [result.value] : [],
      )
      for (const pack of loadedPacks) runningPacks.add(pack)
      if (failure === undefined) return loadedPacks
      await closeAll()
      throw failure.reason
    },
    async cancelAll() {
      loadAbort.abort()
      const cancellations = Promise.all([...runningPacks].map(pack => pack.cancel()))
      await withTimeout(cancellations, limits.deploymentCancelTimeoutMs)
    },
    close: closeAll,
  }
}

async function loadPack(
  deps: AnalyzerHostDeps,
  location: PolicyPackLocation,
  abortSignal: AbortSignal,
): Promise<Analyzer> {
  const { path, config } = location
  const name = location.name ?? path
  const packPath = resolve(deps.projectFolder, path)
  if (!existsSync(packPath)) throw toPackError(name, `${packPath} does not exist`)
  const isFolder = statSync(packPath).isDirectory()
  const packFolder = isFolder ? packPath : dirname(packPath)
  const mustReadProject = isFolder || existsSync(join(packFolder, 'PulumiPolicy.yaml'))
  const project = mustReadProject ? readPolicyProject(packFolder) : undefined
  const configuredSettings = readConfiguredSettings(deps, name, config)
  const packCommand = isFolder
    ? await packCommandOf(deps, { packFolder, name: location.name ?? packFolder }, project)
    : { command: packPath, args: [deps.engineAddress()] }
  const packProcess = await startPlugin(deps.processes, {
    name,
    path: packCommand.command,
    args: packCommand.args,
    engineAddress: deps.engineAddress(),
    cwd: packFolder,
    env: { ...deps.env, ...packVariablesOf(deps.context) },
    onLine: deps.onOutput,
    abortSignal,
  }).catch((thrown: unknown) => {
    throw toPackError(name, messageOf(thrown))
  })
  const { connection, close } = connectPack(packProcess, path)
  try {
    const handshake = { ...deps.context, engineAddress: deps.engineAddress(), packFolder }
    await initializePack(connection, handshake)
    const version = project?.version ?? ''
    const info = await fetchPackInfo(connection, version)
    if (!info.takesSettings && config !== undefined)
      throw new Error(`the pack '${info.name}' does not support configuration`)
    if (!info.takesSettings) return createAnalyzer(connection, { info, path: name, version, close })
    const settings = mergeSettings(info, configuredSettings)
    const violations = validateSettings(info.policies, settings)
    if (violations.length > 0)
      throw new Error(`its configuration is invalid: ${violations.join('; ')}`)
    await configurePack(connection, settings)
    return createAnalyzer(connection, {
      info: applyPolicySettings(info, settings),
      path: name,
      version,
      close,
    })
  } catch (thrown) {
    await close()
    throw toPackError(name, messageOf(thrown))
  }
}

function readConfiguredSettings(deps: AnalyzerHostDeps, name: string, config: string | undefined) {
  if (config === undefined) return new Map()
  const file = resolve(deps.projectFolder, config)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (thrown) {
    throw toPackError(name, `cannot read its configuration: ${messageOf(thrown)}`)
  }
  return readPolicySettings(text, config)
}

/**
 * Returns the command that runs the pack in a folder. A Node.js pack needs Pulumi's SDK in the
 * folder. A pack of another runtime needs the executable `pulumi-analyzer-policy-<runtime>` on
 * PATH.
 */
async function packCommandOf(
  deps: AnalyzerHostDeps,
  { packFolder, name: packName }: { readonly packFolder: string; readonly name: string },
  project: PolicyProject | undefined,
): Promise<{ readonly command: string; readonly args: readonly string[] }> {
  const address = deps.engineAddress()
  const runtime = project?.runtime ?? ''
  if (runtime !== 'nodejs') {
    const name = `pulumi-analyzer-policy-${runtime}`
    const packRunnerPath = findOnPath(name, deps.env['PATH'] ?? '')
    if (packRunnerPath !== undefined) return { command: packRunnerPath, args: [address, '.'] }
    throw toPackError(packName, `its runtime '${runtime}' needs ${name}, which is not on PATH`)
  }
  const sdk = sdkOf(packFolder)
  const { nodeRange } = sdk
  const node = await chooseNode({ ...deps, nodeRange, directory: packFolder })
  if (node.note !== '') deps.onOutput(node.note, 'stderr')
  return {
    command: node.command,
    args: [sdk.runner, address, join(packFolder, project?.main ?? '')],
  }
}

function sdkOf(packFolder: string): NodeSdk {
  try {
    return findNodeSdk(packFolder, '@pulumi/pulumi/cmd/run-policy-pack')
  } catch (thrown) {
    throw toPackError(packFolder, `${messageOf(thrown)}: run \`npm install\` there`)
  }
}

/** Returns the environment variables that the SDKs of packs read. */
function packVariablesOf(context: PackContext): Readonly<Record<string, string>> {
  const { organization, project, stack, dryRun } = context
  return {
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(context.config)),
    PULUMI_NODEJS_ORGANIZATION: organization,
    PULUMI_NODEJS_PROJECT: project,
    PULUMI_NODEJS_STACK: stack,
    PULUMI_NODEJS_DRY_RUN: String(dryRun),
    PULUMI_ORGANIZATION: organization,
    PULUMI_PROJECT: project,
    PULUMI_STACK: stack,
    PULUMI_DRY_RUN: String(dryRun),
  }
}

/**
 * Connects to the process of a pack. A call waits until the pack is ready, and fails if the pack
 * exits.
 */
function connectPack(
  packProcess: PluginProcess,
  name: string,
): { readonly connection: Connection; readonly close: () => Promise<void> } {
  const client = createClient(packProcess.port)
  const getExitReport: Connection['getExitReport'] = async () => {
    const description = await withTimeout(packProcess.exitDescription, limits.exitGraceMs)
    return description === undefined
      ? undefined
      : { description, lines: await packProcess.readLastLines() }
  }
  const readiness = waitUntilReady(client, Date.now() + limits.firstResponseTimeoutMs)
  const connection: Connection = {
    name,
    getExitReport,
    async call(method, request, deadlineMs) {
      await Promise.race([readiness, packProcess.exitDescription])
      const packExit = packProcess.exitDescription.then(async exitDescription => {
        // The last output of the pack is shown before its end is reported.
        await packProcess.readLastLines()
        throw new Error(`the pack ${exitDescription}`)
      })
      // The error of the exit explains more than that of the lost connection, so the exit is
      // awaited.
      const answer = callUnary(client, method, { request, deadlineMs }).catch(async thrown => {
        if (grpcCodeOf(thrown) === status.UNAVAILABLE)
          await withTimeout(packExit, limits.exitGraceMs)
        throw thrown
      })
      return Promise.race([answer, packExit])
    },
  }
  let pendingClose: Promise<void> | undefined
  const close = (): Promise<void> => {
    pendingClose ??= (async () => {
      client.close()
      await packProcess.stop()
    })()
    return pendingClose
  }
  return { connection, close }
}

function toPackError(name: string, reason: string): Error {
  return createError(
    'POLICY_PACK_FAILED',
    `cannot use the policy pack '${name}': ${withoutShownLines(reason)}`,
  )
}

/**
 * Returns a message without the pack's last lines and stack trace, which the user has already seen
 * as output of the pack.
 */
function withoutShownLines(message: string): string {
  const [reason = ''] = stripVTControlCharacters(message).split('; its last lines:')
  const isReasonLine = (line: string): boolean => line.trim() !== '' && !/^\s+at /.test(line)
  return reason
    .replace(/^\d+ [A-Z_]+: /, '')
    .split('\n')
    .filter(isReasonLine)
    .join('\n')
}
