import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deploy } from '../../local/deploy.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/state/snapshot-blob.ts'
import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { DeployRequest, DeployResult, RunningDeployment } from '../../shared/engine/request.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../shared/platform/embedded/embedded-platform.ts'
import type { OperationsPort } from '../../shared/ports/records.ts'
import type { ProgramHost } from '../../shared/programs/program.ts'
import type { PluginHost, Provider } from '../../shared/providers/provider.ts'
import {
  type Script,
  type ScriptedProvider,
  serveScript,
} from '../../shared/providers/pulumi/scripted-server.ts'
import { withPlan } from '../../cli/operations/plan-file.ts'
import type { Analyzer } from '../../shared/providers/analyzers/analyzer.ts'
import { createPackHost } from './policy-packs.ts'
import {
  createScriptedPluginHost,
  type Program,
  createScriptedProgramHost,
  project,
  stackName,
} from './scripted-hosts.ts'
import type { Tracer } from './effect-tracer.ts'
import {
  type Disturb,
  type KillPoint,
  Killed,
  openTestProcess,
  type TestProcess,
} from './test-process.ts'
import type { ImportedResource } from '../../shared/records/import.ts'
import type { Command, HiddenFeature } from '../../shared/records/log.ts'
import { type StackId, stackIdOf } from '../../shared/records/ids.ts'
import type { Targeting } from '../../shared/records/log.ts'
import { createPassphraseManager } from '../../shared/secrets/passphrase-secrets.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'

export type { Monitor, Program } from './scripted-hosts.ts'

/** What a run is asked besides its command. */
export interface TestRunOptions {
  readonly command?: Command
  /** What `import` is to adopt. */
  readonly imports?: readonly ImportedResource[]
  readonly dryRun?: boolean
  readonly parallel?: number
  readonly refresh?: boolean
  readonly continueOnError?: boolean
  readonly runProgram?: boolean
  readonly legacyDiff?: boolean
  readonly legacyRefreshDiff?: boolean
  readonly withoutFeatures?: readonly HiddenFeature[]
  readonly ignoreProtect?: boolean
  readonly release?: 'dataflow' | 'antichain'
  readonly config?: DeployRequest['config']
  readonly targeting?: Partial<Targeting>
  /** Go on with what a killed run left. */
  readonly resume?: boolean
  /** What tells the program from others. */
  readonly digest?: string
  /** The same, as it is found while it runs. */
  readonly digestNow?: () => string
  /** Forget pending creates, as a person may say. */
  readonly forget?: boolean
  /** Kill the run at one of its effects: it then neither does nor hears anything more. */
  readonly kill?: KillPoint | undefined
  /** How long each generator and executor may last. */
  readonly functionLimitMs?: number
  /** Called with the deployment once it runs. */
  readonly began?: (running: RunningDeployment) => void
  /** What is wrong with the ports of the run. */
  readonly disturb?: Disturb
  /** What is wrong with its provider. */
  readonly provider?: (provider: Provider) => Provider
  /** The store's operations with a fault of their own, for the executor. */
  readonly disturbed?: (operations: OperationsPort) => OperationsPort
  /** How far the wall clock of the run is ahead of the others', in ms. */
  readonly skewMs?: number
  /** How many times as fast as ours the time of the run passes. */
  readonly haste?: number
  /** The hosts of languages, instead of the scripted program. */
  readonly programs?: ProgramHost
  /** The plugins of the run, instead of the scripted providers. */
  readonly plugins?: PluginHost
  /** The text of a plan to be held to. */
  readonly plan?: string
  /** Policy packs that judge the run. */
  readonly packs?: readonly Analyzer[]
  /** What else the request says. */
  readonly request?: Partial<DeployRequest>
  /** Hears each effect of the run. */
  readonly onEffect?: (name: string, args: readonly unknown[]) => void
}

const noTargeting: Targeting = {
  targets: [],
  excludes: [],
  replaces: [],
  targetDependents: false,
  excludeDependents: false,
  excludeProtected: false,
}

/** What a run came to. */
export interface TestRun {
  readonly result: DeployResult
  readonly events: readonly EngineEventPayload[]
  readonly state: StoredDeployment
  readonly stack: StackId
  /** The names of its effects, in order. */
  readonly effects: readonly string[]
  readonly tracer: Tracer
}

/**
 * An engine over an embedded platform of its own, with scripted programs and one scripted provider.
 */
export interface TestEngine {
  readonly platform: EmbeddedPlatform
  /** The folder of its store. */
  readonly home: string
  readonly provider: ScriptedProvider
  /** The packages with a script of their own. */
  readonly packages: ReadonlyMap<string, ScriptedProvider>
  readonly run: (program: Program | undefined, options?: TestRunOptions) => Promise<TestRun>
  /** Does something else as a process that may be killed at one of its effects. */
  readonly during: <T>(
    kill: KillPoint | undefined,
    work: (process: TestProcess) => Promise<T>,
  ) => Promise<T>
  /** As `close`, but its home stays. */
  readonly keep: () => Promise<void>
  readonly close: () => Promise<void>
}

const id = stackIdOf(project, stackName)

/** The manager costs a key derivation, so all engines of a file share one. */
const managers = createPassphraseManager('lifecycle')

/**
 * Opens an engine whose packages are all answered by `script`, but for those that `more` has a
 * script of their own for; `from`: the home of one that was closed, to go on from a copy of it.
 */
export async function openEngine(
  script: Script,
  from?: string,
  more: Readonly<Record<string, Script>> = {},
): Promise<TestEngine> {
  const home = mkdtempSync(join(tmpdir(), 'antichain-life-'))
  if (from !== undefined) cpSync(from, home, { recursive: true })
  const platform = await openEmbeddedPlatform({ home })
  const processes: TestProcess[] = []
  let number = 0
  await platform.catalog.createStack(id, platform.clock.now())
  const provider = await serveScript(script, {})
  const packages = new Map<string, ScriptedProvider>()
  for (const [pkg, own] of Object.entries(more)) packages.set(pkg, await serveScript(own, {}))
  const secrets = await managers
  const run: TestEngine['run'] = async (program, options = {}) => {
    const events: EngineEventPayload[] = []
    const request = withPlan(createDeployRequest({ home, secrets, options }), options.plan)
    const process = await openTestProcess({
      home,
      number: (number += 1),
      kill: options.kill,
      skewMs: options.skewMs ?? 0,
      haste: options.haste ?? 1,
      onEffect: options.onEffect,
      disturb: disturbOf(options),
    })
    processes.push(process)
    const instanceOf = (pkg: string): Provider => {
      const instance = (packages.get(pkg) ?? provider).createInstance()
      return process.guardProvider(options.provider?.(instance) ?? instance)
    }
    const createHosts = () => ({
      programs: options.programs ?? createScriptedProgramHost(program),
      plugins: options.plugins ?? createScriptedPluginHost(instanceOf),
      policyPacks: createPackHost(options.packs ?? []),
    })
    const done = deploy({
      platform: process.platform,
      ports: process.ports,
      request,
      sink: { emit: event => void events.push(event) },
      hosts: createHosts,
    }).then(running => {
      options.began?.(running)
      return running.done
    })
    const result = await Promise.race([done, process.died])
    const { violations } = process.tracer
    if (violations.length > 0) throw new Error(`not in order: ${violations.join('; ')}`)
    if (result === 'killed') throw new Killed(process.effects)
    const record = await platform.catalog.getStack(id)
    const state = await readSnapshotBlob(platform.blobs, record?.snapshot ?? '')
    const fault = verifyIntegrity(state)
    if (fault !== undefined && record?.snapshot !== '')
      throw new Error(`the published state is wrong: ${fault}`)
    return { stack: id, result, events, state, effects: process.effects, tracer: process.tracer }
  }
  const keep = async (): Promise<void> => {
    for (const one of [provider, ...packages.values()]) one.close()
    for (const process of processes) await process.close()
    await platform.close()
  }
  return {
    platform,
    home,
    provider,
    packages,
    run,
    async during(kill, work) {
      const process = await openTestProcess({ home, number: (number += 1), kill })
      processes.push(process)
      const done = await Promise.race([work(process), process.died])
      const { violations } = process.tracer
      if (violations.length > 0) throw new Error(`not in order: ${violations.join('; ')}`)
      if (done === 'killed') throw new Killed(process.effects)
      return done
    },
    keep,
    async close() {
      await keep()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

/** What is wrong with ports lies beneath what watches them. */
function disturbOf({ disturb, disturbed }: TestRunOptions): Disturb | undefined {
  if (disturbed === undefined) return disturb
  return platform => ({ ...disturb?.(platform), operations: disturbed(platform.operations) })
}

function createDeployRequest(input: {
  home: string
  secrets: Awaited<typeof managers>
  options: TestRunOptions
}): DeployRequest {
  const { options, home } = input
  return {
    stack: id,
    source: {
      name: project,
      root: home,
      directory: home,
      entryPoint: '.',
      runtime: 'test',
      runtimeOptions: {},
      plugins: [],
    },
    config: options.config ?? new Map(),
    secrets: input.secrets,
    dryRun: options.dryRun ?? false,
    options: {
      command: options.command ?? 'up',
      parallel: options.parallel ?? 8,
      refresh: options.refresh ?? false,
      continueOnError: options.continueOnError ?? false,
      execute: 'here',
      ...(options.legacyDiff === true ? { legacyDiff: true } : {}),
      ...(options.legacyRefreshDiff === true ? { legacyRefreshDiff: true } : {}),
      ...(options.withoutFeatures === undefined
        ? {}
        : { withoutFeatures: options.withoutFeatures }),
      ...(options.ignoreProtect === true ? { ignoreProtect: true } : {}),
      message: '',
      ...(options.runProgram === true ? { runProgram: true } : {}),
      release: options.release ?? 'dataflow',
      policyPacks: (options.packs ?? []).map(({ path }) => ({ path })),
      ...(options.targeting === undefined
        ? {}
        : { targeting: { ...noTargeting, ...options.targeting } }),
      ...(options.imports === undefined ? {} : { imports: options.imports }),
    },
    program: options.digest ?? 'the same',
    ...(options.digestNow === undefined ? {} : { readProgramDigest: options.digestNow }),
    resume: options.resume ?? false,
    wait: false,
    ...(options.functionLimitMs === undefined ? {} : { functionLimitMs: options.functionLimitMs }),
    pendingCreates: { exist: new Map(), forget: options.forget ?? false },
    ...options.request,
  }
}
