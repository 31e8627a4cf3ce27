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
import type { Command, HiddenFeature, Targeting } from '../../shared/records/log.ts'
import { type StackId, stackIdOf } from '../../shared/records/ids.ts'
import { createPassphraseManager } from '../../shared/secrets/passphrase-secrets.ts'
import { verifyIntegrity } from '../../shared/state/snapshot-integrity.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'

export type { Monitor, Program } from './scripted-hosts.ts'

/** The options of a run. */
export interface TestRunOptions {
  readonly command?: Command
  /** The resources that `import` adopts. */
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
  /** Resumes a run that was killed. */
  readonly resume?: boolean
  /** Digest of the program. */
  readonly digest?: string
  /** Returns the digest of the program while it runs. */
  readonly digestNow?: () => string
  /** Clears pending creates, as a user can request. */
  readonly forget?: boolean
  /** Kills the run at one of its effects: it then neither calls nor receives anything more. */
  readonly kill?: KillPoint | undefined
  /** Time limit of each generator and executor. */
  readonly functionLimitMs?: number
  /** Called with the running deployment. */
  readonly began?: (running: RunningDeployment) => void
  /** Injects faults into the ports of the run. */
  readonly disturb?: Disturb
  /** Injects faults into its provider. */
  readonly provider?: (provider: Provider) => Provider
  /** Injects faults into the executor's operations port. */
  readonly disturbed?: (operations: OperationsPort) => OperationsPort
  /** Offset of the run's wall clock, in ms. */
  readonly skewMs?: number
  /** Factor by which the run's time passes faster. */
  readonly haste?: number
  /** Language hosts, instead of the scripted program. */
  readonly programs?: ProgramHost
  /** Plugin host, instead of the scripted providers. */
  readonly plugins?: PluginHost
  /** Text of the plan that constrains the run. */
  readonly plan?: string
  /** Policy packs that analyze the run. */
  readonly packs?: readonly Analyzer[]
  /** Further fields of the request. */
  readonly request?: Partial<DeployRequest>
  /** Called for each effect of the run. */
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

/** The result of a run. */
export interface TestRun {
  readonly result: DeployResult
  readonly events: readonly EngineEventPayload[]
  readonly state: StoredDeployment
  readonly stack: StackId
  /** Names of its effects, in order. */
  readonly effects: readonly string[]
  readonly tracer: Tracer
}

/** An engine over its own embedded platform, with scripted programs and one scripted provider. */
export interface TestEngine {
  readonly platform: EmbeddedPlatform
  /** The folder of its store. */
  readonly home: string
  readonly provider: ScriptedProvider
  /** The packages with their own scripts. */
  readonly packages: ReadonlyMap<string, ScriptedProvider>
  readonly run: (program: Program | undefined, options?: TestRunOptions) => Promise<TestRun>
  /** Runs other work as a process that may be killed at one of its effects. */
  readonly during: <T>(
    kill: KillPoint | undefined,
    work: (process: TestProcess) => Promise<T>,
  ) => Promise<T>
  /** Closes the engine without removing its home. */
  readonly keep: () => Promise<void>
  readonly close: () => Promise<void>
}

const id = stackIdOf(project, stackName)

/** A manager costs a key derivation, so all engines of a file share one. */
const managers = createPassphraseManager('lifecycle')

/**
 * Opens an engine. `script` answers for all packages except those in `more`. `from`: the home of a
 * closed engine, whose copy is used.
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

/** The wrappers that observe effects are outside of these faults. */
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
