/**
 * test/e2e: the real command line with real programs and real provider processes, each test in a
 * place of its own: a temporary folder with the program, the state and the provider's cloud.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, delimiter, join, resolve } from 'node:path'

const testFolder = resolve(import.meta.dirname, '..')
const ourNode = resolve(testFolder, '../node_modules/node/bin')
const sdkModules = join(testFolder, 'fixtures/sdk/node_modules')
const pluginFolders = ['golden/provider', 'fixtures/plugins'].map(name => join(testFolder, name))
/** The launcher that a person types. */
export const launcher = resolve(testFolder, '../cli/antichain')

/** How a command ended and what it said. */
export interface CommandOutput {
  /** 128 and the number of the signal when a signal ended it. */
  readonly exit: number
  readonly out: string
  readonly err: string
}

/** A command that runs; it leads a process group of its own. */
export interface RunningCommand {
  readonly pid: number
  readonly done: Promise<CommandOutput>
  /** What it has said on both streams so far. */
  readonly readOutput: () => string
  /** Sends a signal to the command's process, or to its whole group. */
  readonly kill: (signal: NodeJS.Signals, whom: 'process' | 'group') => void
}

/** An object that the provider of package `gold` has. */
export interface CloudObject {
  readonly id: string
  readonly type: string
  readonly props: Readonly<Record<string, unknown>>
}

/** A change that the provider was asked for. */
export interface RequestedChange {
  readonly call: 'create' | 'update' | 'delete'
  readonly urn: string
  readonly id?: string
}

/** More to give a command. */
export interface CommandOptions {
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly input?: string
}

/** A folder in which one test works. */
export interface Place {
  /** The program's folder. */
  readonly program: string
  /** ANTICHAIN_HOME. */
  readonly home: string
  readonly cloud: string
  readonly createEnvironment: (more?: CommandOptions['env']) => Record<string, string>
  readonly run: (args: readonly string[], options?: CommandOptions) => Promise<CommandOutput>
  readonly start: (args: readonly string[], options?: CommandOptions) => RunningCommand
  /** `stack export`: its text, as it was printed. */
  readonly exportState: (stack?: string) => Promise<string>
  readonly listObjects: () => readonly CloudObject[]
  /** The provider's log: every call that it answered. */
  readonly listCalls: () => readonly { readonly call: string; readonly urn?: string }[]
  /** Changes that it was asked for, in order, whether or not it answered; see GOLD_ASKED. */
  readonly listChanges: () => readonly RequestedChange[]
  /** Calls that fail or hang, as the provider's README has them. */
  readonly setFaults: (faults: Readonly<Record<string, number | 'always'>>) => void
  /** Pids of programs and plugins of this place that are alive. */
  readonly listProcesses: () => readonly number[]
  readonly remove: () => void
}

/** What a place is made of. */
export interface PlaceOptions {
  /** Files of the program's folder, beside or instead of those of the fixture. */
  readonly files?: Readonly<Record<string, string>>
  /**
   * Put the SDK beside the program. Default: yes. `above`: only where an unpacked program of this
   * place's store finds it, so that what is packed is small.
   */
  readonly sdk?: boolean | 'above'
}

/** Makes a place with a program of test/fixtures/programs, or with an empty one. */
export function createPlace(fixture: string | undefined, options: PlaceOptions = {}): Place {
  const root = mkdtempSync(join(tmpdir(), 'antichain-e2e-'))
  const program = join(root, 'program')
  const home = join(root, 'home')
  const cloud = join(root, 'cloud')
  mkdirSync(program)
  mkdirSync(join(cloud, 'objects'), { recursive: true })
  if (fixture !== undefined)
    cpSync(join(testFolder, 'fixtures/programs', fixture), program, { recursive: true })
  if (options.sdk === 'above') linkSdkAboveProgram(home)
  else if (options.sdk !== false) linkSdkIntoProgram(program)
  for (const [name, text] of Object.entries(options.files ?? {})) {
    mkdirSync(resolve(program, name, '..'), { recursive: true })
    writeFileSync(join(program, name), text)
  }
  const createEnvironment = (more: CommandOptions['env'] = {}): Record<string, string> =>
    environmentOf({ root, home, cloud }, more)
  const start: Place['start'] = (args, commandOptions = {}) =>
    startCommand(args, {
      cwd: program,
      env: createEnvironment(commandOptions.env),
      input: commandOptions.input,
    })
  const run: Place['run'] = (args, commandOptions) => start(args, commandOptions).done
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

/** The result, when it is a success; else an error with all that was said. */
export function requireSuccess(ran: CommandOutput): CommandOutput {
  if (ran.exit !== 0) throw new Error(`exit ${ran.exit}\n${ran.out}\n${ran.err}`)
  return ran
}

/** Waits until `holds`; fails with `what` after `limitMs`. */
export async function waitUntil(
  isDone: () => boolean | Promise<boolean>,
  { what, limitMs = 180_000 }: { readonly what: string; readonly limitMs?: number },
): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await isDone())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${limitMs} ms`)
    await new Promise(done => setTimeout(done, 20))
  }
}

/** Every file below a folder whose bytes hold the text, or its base64 form. */
export function findFilesWith(folder: string, text: string): readonly string[] {
  const needles = [text, Buffer.from(text).toString('base64').replace(/=+$/, '')]
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .filter(file => {
      const bytes = readFileSync(file)
      return needles.some(needle => bytes.includes(needle))
    })
}

/** Node looks for modules in every folder above a program. */
function linkSdkAboveProgram(home: string): void {
  mkdirSync(home, { recursive: true })
  symlinkSync(sdkModules, join(home, 'node_modules'))
}

function linkSdkIntoProgram(program: string): void {
  symlinkSync(sdkModules, join(program, 'node_modules'))
  cpSync(join(testFolder, 'golden/provider/sdk.js'), join(program, 'gold.js'))
  const manifest = { name: 'e2e-program', private: true, dependencies: { '@pulumi/pulumi': '*' } }
  writeFileSync(join(program, 'package.json'), JSON.stringify(manifest))
}

function environmentOf(
  place: { readonly root: string; readonly home: string; readonly cloud: string },
  more: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(PULUMI|ANTICHAIN|GOLD|VITEST|NODE_OPTIONS|STEP)/.test(name),
  )
  const env: Record<string, string | undefined> = {
    ...Object.fromEntries(inherited),
    PATH: [...pluginFolders, ourNode, process.env['PATH']].join(delimiter),
    ANTICHAIN_HOME: place.home,
    PULUMI_HOME: join(place.root, 'pulumi'),
    PULUMI_CONFIG_PASSPHRASE: 'open sesame',
    // Whether a plugin is found must not depend on what the network has.
    PULUMI_DISABLE_AUTOMATIC_PLUGIN_ACQUISITION: 'true',
    NO_COLOR: '1',
    GOLD_CLOUD: place.cloud,
    GOLD_NODE_PATH: sdkModules,
    GOLD_NODE: join(ourNode, 'node'),
    STEP: '1',
    ...more,
  }
  return Object.fromEntries(
    Object.entries(env).filter((pair): pair is [string, string] => pair[1] !== undefined),
  )
}

interface StartOptions {
  readonly cwd: string
  readonly env: Record<string, string>
  readonly input?: string | undefined
}

function startCommand(args: readonly string[], options: StartOptions): RunningCommand {
  const child = spawn(launcher, args, { cwd: options.cwd, env: options.env, detached: true })
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
    kill: (signal, whom) => void process.kill(whom === 'group' ? -pid : pid, signal),
  }
}

const signalNumbers: Readonly<Record<string, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }

function awaitExit(child: ChildProcess): Promise<number> {
  return new Promise((done, failed) => {
    child.on('error', failed)
    child.on('close', (code, signal) => done(code ?? 128 + (signalNumbers[signal ?? ''] ?? 0)))
  })
}

/** The objects of a provider's cloud. */
export function readObjects(cloud: string): readonly CloudObject[] {
  const folder = join(cloud, 'objects')
  return readdirSync(folder).flatMap(name => {
    const file = join(folder, name)
    // One that is deleted between the two looks is none.
    return existsSync(file) ? [readObject(file)] : []
  })
}

/**
 * A file that is being written, or whose writer was killed, is an object all the same: its name
 * says which.
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

/** A program or plugin carries the environment of its command, ourselves do not. */
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
    // It ended by itself between the look and the signal.
  }
}
