import { existsSync, readFileSync, statSync } from 'node:fs'
import { status } from '@grpc/grpc-js'
import { delimiter, dirname, join, resolve } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { error, messageOf } from '../../errors/error.ts'
import { pluginLimits as limits } from '../../config/plugin-limits.ts'
import type { ProcessesPort } from '../../ports/system.ts'
import { chooseNode } from '../../programs/hosts/node-binary.ts'
import { findNodeSdk, type NodeSdk } from '../../programs/hosts/node-sdk.ts'
import { type PolicyProject, readPolicyProject } from '../../programs/project/policy-project.ts'
import type { Analyzer, AnalyzerHost, PolicyPackPlace } from '../../providers/analyzers/analyzer.ts'
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
  withSettings,
  validateSettings,
} from '../../providers/analyzers/policy-settings.ts'
import {
  waitUntilReady,
  callUnary,
  type Connection,
  createClient,
} from '../../providers/plugins/connection.ts'
import { grpcCodeOf } from '../../providers/pulumi/grpc-errors.ts'
import {
  type PluginProcess,
  startPlugin,
  withTimeout,
} from '../../providers/plugins/start-plugin.ts'

/** Dependencies of running policy packs. */
export interface PolicyPackDeps {
  readonly processes: ProcessesPort
  /** The user's environment, which packs inherit. */
  readonly env: Readonly<Record<string, string>>
  /** Antichain's own `node`. */
  readonly ourNode: string
  /** The project's folder. */
  readonly root: string
  readonly engineAddress: () => string
  readonly context: PackContext
  /** Receives the output lines of packs. Must not block and must not throw. */
  readonly onOutput: (line: string, stream: 'stdout' | 'stderr') => void
}

/**
 * Creates a host that runs policy packs as processes of this machine. Source:
 * docs/spec/monitor.md#analyzer-service.
 */
export function createPolicyPacks(deps: PolicyPackDeps): AnalyzerHost {
  const running = new Set<Analyzer>()
  const over = new AbortController()
  const closeAll = async (): Promise<void> => {
    over.abort()
    await Promise.all([...running].map(pack => pack.close()))
  }
  return {
    async load(packs) {
      const loading = await Promise.allSettled(packs.map(pack => loadPack(deps, pack, over.signal)))
      const failed = loading.find(one => one.status === 'rejected')
      const loaded = loading.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []))
      for (const pack of loaded) running.add(pack)
      if (failed === undefined) return loaded
      await closeAll()
      throw failed.reason
    },
    async cancelAll() {
      over.abort()
      const all = Promise.all([...running].map(pack => pack.cancel()))
      await withTimeout(all, limits.cancelAllMs)
    },
    close: closeAll,
  }
}

async function loadPack(
  deps: PolicyPackDeps,
  { path, config }: PolicyPackPlace,
  abandoned: AbortSignal,
): Promise<Analyzer> {
  const place = resolve(deps.root, path)
  if (!existsSync(place)) throw toPackError(path, `${place} does not exist`)
  const isFolder = statSync(place).isDirectory()
  const directory = isFolder ? place : dirname(place)
  const hasFile = isFolder || existsSync(join(directory, 'PulumiPolicy.yaml'))
  const project = hasFile ? readPolicyProject(directory) : undefined
  const configured = readConfiguredSettings(deps, path, config)
  const run = isFolder
    ? await packCommandOf(deps, directory, project)
    : { command: place, args: [] }
  const started = await startPlugin(deps.processes, {
    name: path,
    path: run.command,
    args: isFolder ? run.args : [deps.engineAddress()],
    engineAddress: deps.engineAddress(),
    cwd: directory,
    env: { ...deps.env, ...packVariablesOf(deps.context) },
    onLine: deps.onOutput,
    abandoned,
  }).catch((thrown: unknown) => {
    throw toPackError(path, messageOf(thrown))
  })
  const { connection, close } = connectPack(started, path)
  try {
    const handshake = { ...deps.context, engineAddress: deps.engineAddress(), directory }
    await initializePack(connection, handshake)
    const version = project?.version ?? ''
    const info = await fetchPackInfo(connection, version)
    if (!info.takesSettings && config !== undefined)
      throw new Error(`the pack '${info.name}' does not support configuration`)
    if (!info.takesSettings) return createAnalyzer(connection, { info, path, version, close })
    const settings = mergeSettings(info, configured)
    const wrong = validateSettings(info.policies, settings)
    if (wrong.length > 0) throw new Error(`its configuration is invalid: ${wrong.join('; ')}`)
    await configurePack(connection, settings)
    return createAnalyzer(connection, { info: withSettings(info, settings), path, version, close })
  } catch (thrown) {
    await close()
    throw toPackError(path, messageOf(thrown))
  }
}

function readConfiguredSettings(deps: PolicyPackDeps, path: string, config: string | undefined) {
  if (config === undefined) return new Map()
  const file = resolve(deps.root, config)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (thrown) {
    throw toPackError(path, `cannot read its configuration: ${messageOf(thrown)}`)
  }
  return readPolicySettings(text, config)
}

/**
 * Returns the command that runs a pack's folder: the SDK in the folder, or its runtime's analyzer.
 */
async function packCommandOf(
  deps: PolicyPackDeps,
  directory: string,
  project: PolicyProject | undefined,
): Promise<{ readonly command: string; readonly args: readonly string[] }> {
  const address = deps.engineAddress()
  const runtime = project?.runtime ?? ''
  if (runtime !== 'nodejs') {
    const name = `pulumi-analyzer-policy-${runtime}`
    const found = findOnPath(name, deps.env['PATH'] ?? '')
    if (found !== undefined) return { command: found, args: [address, '.'] }
    throw toPackError(directory, `its runtime '${runtime}' needs ${name}, which is not on PATH`)
  }
  const sdk = sdkOf(directory)
  const { engines } = sdk
  const node = await chooseNode({ ...deps, engines, directory })
  if (node.note !== '') deps.onOutput(node.note, 'stderr')
  return {
    command: node.command,
    args: [sdk.runner, address, join(directory, project?.main ?? '')],
  }
}

function sdkOf(directory: string): NodeSdk {
  try {
    return findNodeSdk(directory, '@pulumi/pulumi/cmd/run-policy-pack')
  } catch (thrown) {
    throw toPackError(directory, `${messageOf(thrown)}: run \`npm install\` there`)
  }
}

function findOnPath(name: string, path: string): string | undefined {
  return path
    .split(delimiter)
    .filter(folder => folder !== '')
    .map(folder => join(folder, name))
    .find(file => existsSync(file))
}

/** Returns the environment variables that packs get like programs, because their SDK reads them. */
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

function connectPack(
  started: PluginProcess,
  name: string,
): { readonly connection: Connection; readonly close: () => Promise<void> } {
  const client = createClient(started.port)
  const getExitReport: Connection['getExitReport'] = async () => {
    const how = await withTimeout(started.ended, limits.lastWordsMs)
    return how === undefined ? undefined : { how, lines: await started.readLastLines() }
  }
  const ready = waitUntilReady(client, Date.now() + limits.aliveMs)
  const connection: Connection = {
    name,
    getExitReport,
    async call(method, request, deadlineMs) {
      await Promise.race([ready, started.ended])
      const lost = started.ended.then(async how => {
        // Its last output is shown before its end is reported.
        await started.readLastLines()
        throw new Error(`the pack ${how}`)
      })
      // The end of the pack is more informative than the lost connection.
      const answer = callUnary(client, method, { request, deadlineMs }).catch(async thrown => {
        if (grpcCodeOf(thrown) === status.UNAVAILABLE) await withTimeout(lost, limits.lastWordsMs)
        throw thrown
      })
      return Promise.race([answer, lost])
    },
  }
  let closing: Promise<void> | undefined
  const close = (): Promise<void> => {
    closing ??= (async () => {
      client.close()
      await started.stop()
    })()
    return closing
  }
  return { connection, close }
}

function toPackError(path: string, what: string): Error {
  return error(
    'POLICY_PACK_FAILED',
    `cannot use the policy pack '${path}': ${firstSentenceOf(what)}`,
  )
}

/**
 * Returns the message alone: the pack's last lines and stack trace were already shown as its
 * output.
 */
function firstSentenceOf(text: string): string {
  const [sentence = ''] = stripVTControlCharacters(text).split('; its last lines:')
  const isShownLine = (line: string): boolean => line.trim() !== '' && !/^\s+at /.test(line)
  return sentence
    .replace(/^\d+ [A-Z_]+: /, '')
    .split('\n')
    .filter(isShownLine)
    .join('\n')
}
