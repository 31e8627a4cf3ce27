import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { credentials } from '@grpc/grpc-js'
import type { CallResponse } from '../../proto/gen/pulumi/provider.ts'
import {
  RegisterResourceOutputsRequest,
  RegisterResourceRequest,
  type RegisterResourceResponse,
  ResourceCallRequest,
  ResourceInvokeRequest,
  type ResourceInvokeResponse,
  ResourceMonitorClient,
} from '../../proto/gen/pulumi/resource.ts'
import { deploy } from '../../local/deploy.ts'
import { readSnapshotBlob } from '../../shared/engine/deployment/snapshot-blob.ts'
import type { EngineEventPayload } from '../../shared/engine/events/event.ts'
import type { DeployRequest, DeployResult, RunningDeployment } from '../../shared/engine/request.ts'
import {
  type EmbeddedPlatform,
  openEmbeddedPlatform,
} from '../../shared/platform/embedded/platform.ts'
import type { OperationsPort } from '../../shared/ports/records.ts'
import type { PluginHost } from '../../shared/providers/provider.ts'
import {
  type Script,
  type ScriptedProvider,
  serveScript,
} from '../../shared/providers/pulumi/scripted-server.ts'
import type { ProgramHost } from '../../shared/programs/program.ts'
import { type Killing, Killed, openProcess, type TestProcess } from './process.ts'
import { type StackId, stackIdOf } from '../../shared/records/ids.ts'
import { createPassphraseManager } from '../../shared/secrets/passphrase.ts'
import { verifyIntegrity } from '../../shared/state/integrity.ts'
import type { StoredDeployment } from '../../shared/state/stored.ts'

/** What a scripted program does: it registers through the real protocol. */
export type Program = (monitor: Monitor) => Promise<void>

/** The monitor as a scripted program sees it. */
export interface Monitor {
  readonly stack: string
  readonly register: (
    request: Partial<RegisterResourceRequest> & { type: string; name: string },
  ) => Promise<RegisterResourceResponse>
  readonly outputs: (urn: string, outputs: Record<string, unknown>) => Promise<void>
  readonly invoke: (token: string) => Promise<Record<string, unknown>>
  readonly call: (request: Partial<ResourceCallRequest>) => Promise<CallResponse>
}

/** What a run is asked besides its command. */
export interface Asked {
  readonly command?: 'up' | 'refresh' | 'destroy'
  readonly dryRun?: boolean
  readonly parallel?: number
  readonly refresh?: boolean
  readonly continueOnError?: boolean
  readonly release?: 'dataflow' | 'antichain'
  /** Go on with what a killed run left. */
  readonly resume?: boolean
  /** What tells the program from others. */
  readonly digest?: string
  /** The same, as it is found while it runs. */
  readonly digestNow?: () => string
  /** Forget pending creates, as a person may say. */
  readonly forget?: boolean
  /** Kill the run at one of its effects: it then neither does nor hears anything more. */
  readonly kill?: Killing
  /** How long each generator and executor may last. */
  readonly functionLimitMs?: number
  /** Called with the deployment once it runs. */
  readonly began?: (running: RunningDeployment) => void
  /** The store's operations with a fault of their own, for the executor. */
  readonly disturbed?: (operations: OperationsPort) => OperationsPort
  /** How far the wall clock of the run is ahead of the others', in ms. */
  readonly skewMs?: number
  /** How many times as fast as ours the time of the run passes. */
  readonly haste?: number
  /** Hears each effect of the run. */
  readonly heard?: (name: string, asked: readonly unknown[]) => void
}

/** What a run came to. */
export interface Ran {
  readonly result: DeployResult
  readonly events: readonly EngineEventPayload[]
  readonly state: StoredDeployment
  readonly stack: StackId
  /** The names of its effects, in order. */
  readonly effects: readonly string[]
}

/**
 * An engine over an embedded platform of its own, with scripted programs and one scripted provider.
 */
export interface TestEngine {
  readonly platform: EmbeddedPlatform
  readonly provider: ScriptedProvider
  /** The folder of its store. */
  readonly home: string
  readonly run: (program: Program | undefined, asked?: Asked) => Promise<Ran>
  readonly close: () => Promise<void>
}

const project = 'life'
const stack = 'dev'
const id = stackIdOf(project, stack)

/** The manager costs a key derivation, so all engines of a file share one. */
const managers = createPassphraseManager('lifecycle')

/** Opens an engine whose only package is `test`, answered by `script`. */
export async function openEngine(script: Script): Promise<TestEngine> {
  const home = mkdtempSync(join(tmpdir(), 'antichain-life-'))
  const platform = await openEmbeddedPlatform({ home })
  const open: TestProcess[] = []
  let number = 0
  await platform.catalog.createStack(id, platform.clock.now())
  const provider = await serveScript(script, {})
  const secrets = await managers
  const run: TestEngine['run'] = async (program, asked = {}) => {
    const events: EngineEventPayload[] = []
    const request = requestOf({ home, secrets, asked })
    const process = await openProcess({
      home,
      number: (number += 1),
      kill: asked.kill,
      skewMs: asked.skewMs ?? 0,
      haste: asked.haste ?? 1,
      heard: asked.heard,
    })
    open.push(process)
    const guarded = { ...provider, provider: process.guardProvider(provider.provider) }
    const hosts = () => ({ programs: programHost(program), plugins: pluginHost(guarded) })
    const operations = asked.disturbed?.(process.platform.operations) ?? process.platform.operations
    const done = deploy({
      platform: { ...process.platform, operations },
      ports: process.ports,
      request,
      sink: { emit: event => void events.push(event) },
      hosts,
    }).then(running => {
      asked.began?.(running)
      return running.done
    })
    const result = await Promise.race([done, process.died])
    if (result === 'killed') throw new Killed(process.effects)
    const record = await platform.catalog.stack(id)
    const state = await readSnapshotBlob(platform.blobs, record?.snapshot ?? '')
    const fault = verifyIntegrity(state)
    if (fault !== undefined && record?.snapshot !== '')
      throw new Error(`the published state is wrong: ${fault}`)
    return { stack: id, result, events, state, effects: process.effects }
  }
  return {
    platform,
    provider,
    home,
    run,
    async close() {
      provider.close()
      for (const process of open) await process.close()
      await platform.close()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function requestOf(given: {
  home: string
  secrets: Awaited<typeof managers>
  asked: Asked
}): DeployRequest {
  const { asked, home } = given
  return {
    stack: id,
    source: {
      name: project,
      root: home,
      directory: home,
      entryPoint: '.',
      runtime: 'test',
      runtimeOptions: {},
    },
    config: new Map(),
    secrets: given.secrets,
    dryRun: asked.dryRun ?? false,
    options: {
      command: asked.command ?? 'up',
      parallel: asked.parallel ?? 8,
      refresh: asked.refresh ?? false,
      continueOnError: asked.continueOnError ?? false,
      execute: 'here',
      message: '',
      release: asked.release ?? 'dataflow',
    },
    program: asked.digest ?? 'the same',
    ...(asked.digestNow === undefined ? {} : { programNow: asked.digestNow }),
    resume: asked.resume ?? false,
    wait: false,
    ...(asked.functionLimitMs === undefined ? {} : { functionLimitMs: asked.functionLimitMs }),
    pendingCreates: { exist: new Map(), forget: asked.forget ?? false },
  }
}

/** Every load answers with the scripted provider; ending it is the test's affair. */
function pluginHost(scripted: ScriptedProvider): PluginHost {
  let configured: Promise<void> | undefined
  const { provider } = scripted
  const shared = {
    ...provider,
    configure: (ask: Parameters<typeof provider.configure>[0]) => {
      configured ??= provider.configure(ask)
      return configured
    },
    close: () => Promise.resolve(),
  }
  return {
    load: () => Promise.resolve(shared),
    find: () => ({ path: 'scripted' }),
    cancelAll: () => Promise.resolve(),
    abandon: () => undefined,
    close: () => Promise.resolve(),
  }
}

function programHost(program: Program | undefined): ProgramHost {
  return {
    run: async run => {
      const client = new ResourceMonitorClient(run.monitorAddress, credentials.createInsecure(), {
        'grpc.max_receive_message_length': -1,
      })
      const ended = runProgram(client, program).finally(() => client.close())
      return { ended, stop: () => Promise.resolve() }
    },
  }
}

async function runProgram(
  client: ResourceMonitorClient,
  program: Program | undefined,
): Promise<{ error: string | undefined; bail: boolean }> {
  const call = <T>(ask: (done: (failed: Error | null, value: T) => void) => unknown): Promise<T> =>
    new Promise((resolve, reject) =>
      ask((failed, value) => (failed === null ? resolve(value) : reject(failed))),
    )
  const monitor = (root: string): Monitor => ({
    stack: root,
    register: request =>
      call(done =>
        client.registerResource(
          RegisterResourceRequest.create({
            acceptSecrets: true,
            aliasSpecs: true,
            parent: root,
            ...request,
          }),
          done,
        ),
      ),
    outputs: async (urn, outputs) => {
      const request = RegisterResourceOutputsRequest.create({ urn, outputs })
      await call<object>(done => client.registerResourceOutputs(request, done))
    },
    invoke: async tok => {
      const request = ResourceInvokeRequest.create({ tok, args: {} })
      const answer = await call<ResourceInvokeResponse>(done => client.invoke(request, done))
      return answer.return ?? {}
    },
    call: request => call(done => client.call(ResourceCallRequest.create(request), done)),
  })
  try {
    const root = await monitor('').register({
      type: 'pulumi:pulumi:Stack',
      name: `${project}-${stack}`,
      object: {},
    })
    await program?.(monitor(root.urn))
    await call<object>(done => client.signalAndWaitForShutdown({}, done))
    return { error: undefined, bail: false }
  } catch {
    return { error: undefined, bail: true }
  }
}
