/**
 * test/e2e: the real command line with real programs and real provider processes. Each test has a
 * sandbox: a temporary folder with the program, the state, and the objects of the provider.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join, resolve } from 'node:path'

const testFolder = resolve(import.meta.dirname, '..')
const nodeFolder = resolve(testFolder, '../node_modules/node/bin')
const sdkModules = join(testFolder, 'fixtures/sdk/node_modules')
const pluginFolders = ['golden/provider', 'fixtures/plugins'].map(name => join(testFolder, name))
/** The launcher that users run. */
export const launcher = resolve(testFolder, '../cli/antichain')

/** The exit code and output of a command. */
export interface CommandOutput {
  /** 128 plus the signal number when a signal ended the command. */
  readonly exit: number
  readonly out: string
  readonly err: string
}

/** A running command. It leads its own process group. */
export interface RunningCommand {
  readonly pid: number
  readonly done: Promise<CommandOutput>
  /** The output of both streams so far. */
  readonly readOutput: () => string
  /** Sends a signal to the command's process, or to its whole group. */
  readonly kill: (signal: NodeJS.Signals, target: 'process' | 'group') => void
}

/** An object of the provider of package `gold`. */
export interface CloudObject {
  readonly id: string
  readonly type: string
  readonly props: Readonly<Record<string, unknown>>
}

/** A change that was requested from the provider. */
export interface RequestedChange {
  readonly call: 'create' | 'update' | 'delete'
  readonly urn: string
  readonly id?: string
}

/** Further options of a command. */
export interface CommandOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly input?: string
  /** The path of the program to run. Absent: the launcher of Antichain. */
  readonly command?: string
}

/** The sandbox of one test: a folder, and the commands that run in it. */
export interface Sandbox {
  /** The program's folder. */
  readonly program: string
  /** ANTICHAIN_HOME. */
  readonly home: string
  /** The folder with the provider's objects, logs and faults. */
  readonly cloud: string
  readonly createEnvironment: (variables?: CommandOptions['env']) => Record<string, string>
  readonly run: (args: readonly string[], options?: CommandOptions) => Promise<CommandOutput>
  readonly start: (args: readonly string[], options?: CommandOptions) => RunningCommand
  /** Runs `stack export` and returns its output. */
  readonly exportState: (stack?: string) => Promise<string>
  readonly listObjects: () => readonly CloudObject[]
  /** The provider's log: every call that it answered. */
  readonly listCalls: () => readonly { readonly call: string; readonly urn?: string }[]
  /** The requested changes in order, answered or not. Empty unless `GOLD_ASKED` is set. */
  readonly listChanges: () => readonly RequestedChange[]
  /**
   * Makes calls of the provider fail, a number of times or always. A key is `<call>:<name>`, and
   * may begin with `partial-` (not initialized), `hang-` (no response) or `lost-` (no response
   * after the effect).
   */
  readonly setFaults: (faults: Readonly<Record<string, number | 'always'>>) => void
  /** Pids of the living commands, programs and plugins of this sandbox. */
  readonly listProcesses: () => readonly number[]
  readonly remove: () => void
}

/** The options of a sandbox. */
export interface SandboxOptions {
  /** Files of the program's folder. They are added to those of the fixture or replace them. */
  readonly files?: Readonly<Record<string, string>>
  /**
   * Whether the SDK is in the folder of the program. Default: yes. `above`: the SDK is only above
   * the folder into which the store unpacks the program, so that the packed program is small.
   */
  readonly sdk?: boolean | 'above'
  /** The `node_modules` of the program. Default: those of test/fixtures/sdk. */
  readonly sdkModules?: string
}

/** Creates a sandbox with a program of test/fixtures/programs, or with an empty one. */
export function createSandbox(fixture: string | undefined, options: SandboxOptions = {}): Sandbox {
  const root = mkdtempSync(join(tmpdir(), 'antichain-e2e-'))
  const program = join(root, 'program')
  const home = join(root, 'home')
  const cloud = join(root, 'cloud')
  mkdirSync(program)
  mkdirSync(join(cloud, 'objects'), { recursive: true })
  if (fixture !== undefined)
    cpSync(join(testFolder, 'fixtures/programs', fixture), program, { recursive: true })
  if (options.sdk === 'above') linkSdkAboveProgram(home)
  else if (options.sdk !== false) linkSdkIntoProgram(program, options.sdkModules)
  for (const [name, text] of Object.entries(options.files ?? {})) {
    mkdirSync(resolve(program, name, '..'), { recursive: true })
    writeFileSync(join(program, name), text)
  }
  const createEnvironment = (variables: CommandOptions['env'] = {}): Record<string, string> =>
    environmentOf({ root, home, cloud }, variables)
  const start: Sandbox['start'] = (args, commandOptions = {}) =>
    startCommand(args, {
      cwd: program,
      env: createEnvironment(commandOptions.env),
      input: commandOptions.input,
      command: commandOptions.command ?? launcher,
    })
  const run: Sandbox['run'] = (args, commandOptions) => start(args, commandOptions).done
  return {
    program,
    home,
    cloud,
    createEnvironment,
    run,
    start,
    exportState: async (stack = 'dev') =>
      requireSuccess(await run(['stack', 'export', '-s', stack])).out,
    listObjects: () => readObjects(cloud),
    listCalls: () =>
      readLines(join(cloud, 'log.jsonl')).map(line => JSON.parse(line) as { call: string }),
    listChanges: () =>
      readLines(join(cloud, 'asked.jsonl')).map(line => JSON.parse(line) as RequestedChange),
    setFaults: faults => writeFileSync(join(cloud, 'faults.json'), JSON.stringify(faults)),
    listProcesses: () => findProcessesWith(`GOLD_CLOUD=${cloud}`),
    remove: () => {
      for (const pid of findProcessesWith(`GOLD_CLOUD=${cloud}`)) endProcess(pid)
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** Returns a successful result. Throws an error with the whole output otherwise. */
export function requireSuccess(result: CommandOutput): CommandOutput {
  if (result.exit !== 0) throw new Error(`exit ${result.exit}\n${result.out}\n${result.err}`)
  return result
}

/** The options of a wait: the name of the condition, or a function for text at the time limit. */
interface WaitOptions {
  readonly condition: string | (() => string)
  readonly limitMs?: number
}

/** Waits until `isDone` returns true. Throws an error that names `condition` after `limitMs`. */
export async function waitUntil(
  isDone: () => boolean | Promise<boolean>,
  { condition, limitMs = 180_000 }: WaitOptions,
): Promise<void> {
  const deadlineMs = performance.now() + limitMs
  while (!(await isDone())) {
    if (performance.now() > deadlineMs) {
      const text = typeof condition === 'string' ? condition : condition()
      throw new Error(`${text}: not within ${limitMs} ms`)
    }
    await new Promise(done => setTimeout(done, 20))
  }
}

/**
 * Links the SDK into a folder above all unpacked programs. Node looks for modules in every folder
 * above a program.
 */
function linkSdkAboveProgram(home: string): void {
  mkdirSync(home, { recursive: true })
  symlinkSync(sdkModules, join(home, 'node_modules'))
}

function linkSdkIntoProgram(program: string, modules = sdkModules): void {
  symlinkSync(modules, join(program, 'node_modules'))
  cpSync(join(testFolder, 'golden/provider/sdk.js'), join(program, 'gold.js'))
  const manifest = { name: 'e2e-program', private: true, dependencies: { '@pulumi/pulumi': '*' } }
  writeFileSync(join(program, 'package.json'), JSON.stringify(manifest))
}

function environmentOf(
  folders: { readonly root: string; readonly home: string; readonly cloud: string },
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(PULUMI|ANTICHAIN|GOLD|VITEST|NODE_OPTIONS|STEP)/.test(name),
  )
  const env: Record<string, string | undefined> = {
    ...Object.fromEntries(inherited),
    PATH: [...pluginFolders, nodeFolder, process.env['PATH']].join(delimiter),
    ANTICHAIN_HOME: folders.home,
    PULUMI_HOME: join(folders.root, 'pulumi'),
    PULUMI_CONFIG_PASSPHRASE: 'open sesame',
    // Plugin lookup must not depend on the network.
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
    NO_COLOR: '1',
    GOLD_CLOUD: folders.cloud,
    GOLD_NODE_PATH: sdkModules,
    GOLD_NODE: join(nodeFolder, 'node'),
    STEP: '1',
    ...variables,
  }
  return Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
}

interface StartOptions {
  readonly cwd: string
  readonly env: Record<string, string>
  readonly input?: string | undefined
  readonly command: string
}

function startCommand(args: readonly string[], options: StartOptions): RunningCommand {
  const child = spawn(options.command, args, { cwd: options.cwd, env: options.env, detached: true })
  const output = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', text => {
    output.out += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    output.err += text
  })
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  const pid = child.pid ?? 0
  return {
    pid,
    done: awaitExit(child).then(exit => ({ exit, ...output })),
    readOutput: () => output.out + output.err,
    kill: (signal, target) => void process.kill(target === 'group' ? -pid : pid, signal),
  }
}

const signalNumbers: Readonly<Record<string, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }

function awaitExit(child: ChildProcess): Promise<number> {
  return new Promise((done, failed) => {
    child.on('error', failed)
    child.on('close', (code, signal) => done(code ?? 128 + (signalNumbers[signal ?? ''] ?? 0)))
  })
}

/** Returns the objects of a provider's cloud. */
export function readObjects(cloud: string): readonly CloudObject[] {
  const folder = join(cloud, 'objects')
  return readdirSync(folder).flatMap(name => {
    const file = join(folder, name)
    // An object that was deleted after the listing is skipped.
    return existsSync(file) ? [readObject(file)] : []
  })
}

/**
 * Reads one object. A file that is still being written, or whose writer was killed, counts as an
 * object. Its name contains the id.
 */
function readObject(file: string): CloudObject {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as CloudObject
  } catch {
    return { id: basename(file, '.json'), type: 'gold:index:Thing', props: {} }
  }
}

function readLines(file: string): readonly string[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '')
}

/**
 * Returns the pids of the processes with this environment variable. Programs and plugins inherit
 * the variables of their command, and the test process does not have them.
 */
function findProcessesWith(variable: string): readonly number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => readProcessEnvironment(pid).includes(variable))
}

function readProcessEnvironment(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0')
  } catch {
    return []
  }
}

function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // The process ended between the lookup and the signal.
  }
}
