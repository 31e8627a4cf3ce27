import { fakeStateTools } from './fake-state-tools.ts'
import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Io } from '../../../cli/session/io.ts'
import type { EnginePort } from '../../../local/engine-port.ts'
import type { PlatformTools } from '../../../cli/platform/platform-port.ts'
import { runCommandLine } from '../../../cli/arguments/run-command-line.ts'
import type { DisplayOptions, Tools } from '../../../cli/session/tools.ts'
import type { EngineEventPayload } from '../../../shared/engine/events/event.ts'
import type { DeployInput, DeployResult } from '../../../shared/engine/request.ts'
import { createError } from '../../../shared/errors/error.ts'
import type { CatalogPort, StackRecord } from '../../../shared/ports/catalog.ts'
import type { ControlPort } from '../../../shared/ports/records.ts'
import type { Platform } from '../../../shared/ports/platform.ts'
import {
  type BlobHash,
  deploymentIdOf,
  type EpochMs,
  type StackId,
  stackPartsOf,
} from '../../../shared/records/ids.ts'
import { applyStateEdit, digestOfResources } from '../../../shared/state/edits/apply-edit.ts'
import type { SecretsManager } from '../../../shared/secrets/crypter.ts'
import { requireAllowedKey, withKeyStack } from '../../../shared/secrets/key-stack.ts'
import type { StoredDeployment } from '../../../shared/state/stored.ts'

/** A folder with a project, a store in memory, and the recorded calls of commands. */
export interface CliBench {
  readonly root: string
  readonly env: Record<string, string | undefined>
  readonly requests: DeployInput[]
  readonly displays: DisplayOptions[]
  readonly states: Map<StackId, StoredDeployment>
  /** The states that commands stored for edits, by their hash. */
  readonly uploads: Map<string, StoredDeployment>
  /** The replies to prompts, in turn. */
  readonly answers: string[]
  readonly calls: string[]
  /** The events that each deployment emits after its prelude. */
  readonly events: EngineEventPayload[]
  /** The results of deployments, in turn; the last one is repeated. */
  readonly results: DeployResult[]
  readonly busyStacks: Set<StackId>
  /** Stacks that are still in lists of stacks, although they were removed. */
  readonly removedStacks: Set<StackId>
  /** Number of times that Ctrl-C is pressed after the start of each deployment. */
  interruptCount: number
  platform: PlatformTools
  isTerminal: boolean
  readonly write: (path: string, text: string) => void
  readonly read: (path: string) => string
  readonly run: (...args: readonly string[]) => Promise<CliResult>
}

/** The result of one command line. */
export interface CliResult {
  readonly exit: number
  readonly out: string
  readonly err: string
}

/** Throws an error, for benches that do not use AWS. */
const failUnavailable = async (): Promise<never> => {
  throw new Error('no platform')
}
const noPlatform: PlatformTools = {
  readAccount: failUnavailable,
  runCdk: failUnavailable,
  inspect: failUnavailable,
  readAvailableConcurrency: failUnavailable,
  describeSubnets: failUnavailable,
  describeSecretsKey: failUnavailable,
  findSecretsKeyFault: failUnavailable,
  readContextSettings: () => [],
  countProtectedTasks: failUnavailable,
  useAlarm: failUnavailable,
  createToken: failUnavailable,
}

/** A deployment that succeeded with a change. */
export const changedResult: DeployResult = {
  result: 'succeeded',
  changes: { create: 1 },
  hasChanges: true,
  pending: [],
}

export function createCliBench(): CliBench {
  const root = mkdtempSync(join(tmpdir(), 'cli-'))
  const stacks = new Map<StackId, StackRecord>()
  const bench: CliBench = {
    root,
    env: { ANTICHAIN_HOME: join(root, 'home'), PULUMI_CONFIG_PASSPHRASE: 'pass' },
    requests: [],
    displays: [],
    states: new Map(),
    uploads: new Map(),
    answers: [],
    calls: [],
    events: [],
    results: [changedResult],
    busyStacks: new Set(),
    removedStacks: new Set(),
    interruptCount: 0,
    platform: noPlatform,
    isTerminal: false,
    write: (path, text) => {
      mkdirSync(dirname(join(root, path)), { recursive: true })
      writeFileSync(join(root, path), text)
    },
    read: path => readFileSync(join(root, path), 'utf8'),
    run: async (...args) => {
      let out = ''
      let err = ''
      const handlers = new Set<() => void>()
      const io: Io = {
        stdout: { write: text => (out += text) },
        stderr: { write: text => (err += text) },
        env: bench.env,
        cwd: root,
        isTerminal: bench.isTerminal,
        prompt: async () => bench.answers.shift() ?? '',
        promptHidden: async () => bench.answers.shift() ?? '',
        readInput: async () => bench.answers.shift() ?? '',
        onInterrupt: handler => {
          handlers.add(handler)
          return () => void handlers.delete(handler)
        },
      }
      const exit = await runCommandLine(
        args,
        io,
        createFakeTools(bench, stacks, () => {
          for (const handler of handlers) handler()
        }),
      )
      return { exit, out, err }
    },
  }
  bench.write('Pulumi.yaml', 'name: site\nruntime: nodejs\n')
  return bench
}

function createFakeTools(
  bench: CliBench,
  stacks: Map<StackId, StackRecord>,
  interrupt: () => void,
): Tools {
  return {
    openLocal: async ({ home }) => {
      bench.calls.push(`open ${home}`)
      return createFakeEngine(bench, stacks, interrupt)
    },
    openRemote: failUnavailable,
    openDisplay: async options => {
      bench.displays.push(options)
      return {
        emit: event => {
          if (options.json) options.stdout.write(`${JSON.stringify(event)}\n`)
        },
        finish: () => {},
      }
    },
    loadPlatform: async () => bench.platform,
    loadSecrets: async () => ({
      createWithPassphrase: async passphrase => createFakeManager('new-salt', passphrase),
      openWithPassphrase: async (salt, passphrase) => {
        if (passphrase === 'wrong')
          throw createError('SECRETS_PASSPHRASE_WRONG', 'the passphrase does not open this stack')
        return createFakeManager(salt, passphrase)
      },
      createWithKey: async ({ url: keyUrl, stack }) => {
        const url = withKeyStack(keyUrl, stack)
        bench.calls.push(`new data key under ${url}`)
        if (url.includes('not-there'))
          throw createError('SECRETS_KEY_MISSING', 'there is no such key')
        return createFakeKeyManager(url, 'bmV3')
      },
      openWithKey: async ({ url, encryptedKey }, allowed) => {
        requireAllowedKey(url, allowed)
        return createFakeKeyManager(url, encryptedKey)
      },
      openWithService: async stack => ({
        ...createFakeManager(stack.stack, 'service'),
        type: 'service',
        state: { ...stack },
      }),
      readPassphrase: async env => env['PULUMI_CONFIG_PASSPHRASE'],
    }),
    loadState: async () => fakeStateTools,
  }
}

/** Creates a fake manager of a key. A ciphertext contains the encrypted key and the plaintext. */
function createFakeKeyManager(url: string, encryptedkey: string): SecretsManager {
  return { ...createFakeManager(encryptedkey, 'key'), type: 'cloud', state: { url, encryptedkey } }
}

function createFakeManager(salt: string, passphrase: string): SecretsManager {
  return {
    type: 'passphrase',
    state: { salt },
    crypter: {
      encrypt: text => `${salt}(${passphrase}:${text})`,
      decrypt: text => {
        if (!text.endsWith(')')) throw createError('SECRETS_MALFORMED', 'decryption failed')
        return text.slice(text.indexOf(':') + 1, -1)
      },
    },
    digest: text => text,
  }
}

const emptyDeployment: StoredDeployment = {
  manifest: { time: '', magic: '', version: '' },
  metadata: {},
}

function createFakeEngine(
  bench: CliBench,
  stacks: Map<StackId, StackRecord>,
  interrupt: () => void,
): EnginePort {
  return {
    callApi: async ({ path }) => {
      const removedStack = [...bench.removedStacks].find(id =>
        path.startsWith(`/v1/stacks/${id.slice(id.indexOf('/') + 1)}/`),
      )
      if (removedStack !== undefined)
        throw createError('STACK_NOT_FOUND', `no stack ${removedStack}`)
      if (path.endsWith('/tags')) return { tags: {} }
      if (path === '/v1/webhooks') return { items: [] }
      throw createError('RECORDS_REMOVED', 'the fake engine keeps no events')
    },
    platform: {
      catalog: createFakeCatalog(bench, stacks),
      clock: { now: () => 0 as EpochMs },
      control: { read: () => Promise.resolve() } as Partial<ControlPort> as ControlPort,
    } as Platform,
    preload: () => undefined,
    startConnecting: () => undefined,
    deploy: async (request, sink) => {
      bench.requests.push(request)
      if (bench.busyStacks.has(request.stack) && !request.dryRun)
        throw createError('STACK_BUSY', 'the stack is held by ann, up, pid 7')
      sink.emit({ preludeEvent: { config: {} } })
      for (const event of bench.events) sink.emit(event)
      for (let count = 0; count < bench.interruptCount; count++) setImmediate(interrupt)
      const result = bench.results.length > 1 ? bench.results.shift() : bench.results[0]
      return {
        done: new Promise(resolve => setImmediate(() => resolve(result ?? changedResult))),
        cancel: () => bench.calls.push('cancel'),
        terminate: () => bench.calls.push('terminate'),
      }
    },
    findInterrupted: () =>
      Promise.reject(createError('NOTHING_TO_RESUME', 'nothing was interrupted')),
    cancel: async stack => {
      bench.calls.push(`close ${stack}`)
      return bench.busyStacks.delete(stack) ? { kind: 'closed', number: 1 } : { kind: 'none' }
    },
    forgetStack: async () => undefined,
    readStatus: async stack =>
      bench.busyStacks.has(stack)
        ? { kind: 'running', number: 1, isStopped: false }
        : { kind: 'none' },
    redrive: async stack =>
      bench.busyStacks.has(stack) ? { kind: 'sent', operations: 2 } : { kind: 'none' },
    putState: async (_stack, state) => {
      const hash = digestOfResources(state) as BlobHash
      bench.uploads.set(hash, state)
      return hash
    },
    editState: async (stack, edit) => {
      if (bench.busyStacks.has(stack)) throw createError('STACK_BUSY', 'the stack is held by ann')
      const before = bench.states.get(stack) ?? emptyDeployment
      const namedState = 'state' in edit ? bench.uploads.get(edit.state) : undefined
      const edited = applyStateEdit(edit, { before, namedState, names: stackPartsOf(stack) })
      bench.states.set(stack, edited.state)
      return { version: 2, count: edited.count, notices: edited.notices }
    },
    renameStack: async (from, to) => void bench.calls.push(`rename ${from} ${to}`),
    exportState: async stack => bench.states.get(stack),
    exportStateAt: async (stack, moment) => {
      bench.calls.push(`export at ${JSON.stringify(moment)}`)
      return bench.states.get(stack)
    },
    prune: async pruneOptions => {
      bench.calls.push(`prune ${JSON.stringify(pruneOptions)}`)
      const blobs = { setAside: 1, removed: 2, putBack: 0, unfinished: 0, bytes: 30 }
      const stack = [...bench.states.keys()][0] ?? ('organization/site/dev' as StackId)
      return {
        deployments: [deploymentIdOf(stack, 1)],
        removedVersions: [{ stack, versions: [2, 1] }],
        blobs,
      }
    },
    readTimeline: async () => {
      throw createError('MOMENT_UNKNOWN', 'the fake engine has no timeline')
    },
    readCourse: async () => {
      throw createError('MOMENT_UNKNOWN', 'the fake engine has no deployments')
    },
    readCost: async () => {
      throw createError('DEPLOYMENT_UNKNOWN', 'the fake engine has no deployments')
    },
    serve: async () => {},
    close: async () => {
      bench.calls.push('closed')
    },
  }
}

function createFakeCatalog(bench: CliBench, stacks: Map<StackId, StackRecord>): CatalogPort {
  const failUnused = async (): Promise<never> => {
    throw createError('INTERNAL_ASSERTION', 'the command line does not call this')
  }
  return {
    createStack: async (id, createdAt) => {
      if (stacks.has(id)) return false
      stacks.set(id, { id, createdAt, current: '', version: 0, snapshot: '', deployments: 0 })
      return true
    },
    getStack: async id => stacks.get(id),
    listStacks: async project => {
      const isInProject = ({ id }: StackRecord): boolean =>
        !project || id.startsWith(`organization/${project}/`)
      return { stacks: [...stacks.values()].filter(isInProject), unreadable: [] }
    },
    startTargeted: failUnused,
    extendClaim: failUnused,
    putLateOutcome: failUnused,
    listLateOutcomes: async () => [],
    recordSlowOperation: () => Promise.resolve(),
    listSlowOperations: () => Promise.resolve(new Map()),
    removeLateOutcomes: failUnused,
    removeStack: async id => !bench.busyStacks.has(id) && stacks.delete(id),
    listHistory: async id => [
      {
        deployment: `${id}/1` as never,
        command: 'up',
        message: 'first',
        by: 'ada',
        approval: { by: 'bob', at: 0 as EpochMs, note: 'checked' },
        startedAt: 0 as EpochMs,
        endedAt: 1000 as EpochMs,
        result: 'succeeded',
        changes: { create: 2 },
        version: 1,
      },
    ],
    start: failUnused,
    publish: failUnused,
    release: failUnused,
    listVersions: failUnused,
  }
}
