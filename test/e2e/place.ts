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
export interface Ran {
  /** 128 and the number of the signal when a signal ended it. */
  readonly exit: number
  readonly out: string
  readonly err: string
}

/** A command that runs; it leads a process group of its own. */
export interface RunningCommand {
  readonly pid: number
  readonly done: Promise<Ran>
  /** What it has said on both streams so far. */
  readonly said: () => string
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
export interface AskedChange {
  readonly call: 'create' | 'update' | 'delete'
  readonly urn: string
  readonly id?: string
}

/** More to give a command. */
export interface RunOptions {
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
  readonly environment: (more?: RunOptions['env']) => Record<string, string>
  readonly run: (words: readonly string[], options?: RunOptions) => Promise<Ran>
  readonly start: (words: readonly string[], options?: RunOptions) => RunningCommand
  /** `stack export`: its text, as it was printed. */
  readonly exported: (stack?: string) => Promise<string>
  readonly objects: () => readonly CloudObject[]
  /** The provider's log: every call that it answered. */
  readonly calls: () => readonly { readonly call: string; readonly urn?: string }[]
  /** Changes that it was asked for, in order, whether or not it answered; see GOLD_ASKED. */
  readonly asked: () => readonly AskedChange[]
  /** Calls that fail or hang, as the provider's README has them. */
  readonly faults: (asked: Readonly<Record<string, number | 'always'>>) => void
  /** Pids of programs and plugins of this place that are alive. */
  readonly processes: () => readonly number[]
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
  if (options.sdk === 'above') putSdkAbove(home)
  else if (options.sdk !== false) putSdkBeside(program)
  for (const [name, text] of Object.entries(options.files ?? {})) {
    mkdirSync(resolve(program, name, '..'), { recursive: true })
    writeFileSync(join(program, name), text)
  }
  const environment = (more: RunOptions['env'] = {}): Record<string, string> =>
    environmentOf({ root, home, cloud }, more)
  const start: Place['start'] = (words, asked = {}) =>
    startCommand(words, { cwd: program, env: environment(asked.env), input: asked.input })
  const run: Place['run'] = (words, asked) => start(words, asked).done
  return {
    program,
    home,
    cloud,
    environment,
    run,
    start,
    exported: async (stack = 'dev') => succeeded(await run(['stack', 'export', '-s', stack])).out,
    objects: () => objectsIn(cloud),
    calls: () =>
      linesIn(join(cloud, 'log.jsonl')).map(line => JSON.parse(line) as { call: string }),
    asked: () => linesIn(join(cloud, 'asked.jsonl')).map(line => JSON.parse(line) as AskedChange),
    faults: asked => writeFileSync(join(cloud, 'faults.json'), JSON.stringify(asked)),
    processes: () => processesWith(`GOLD_CLOUD=${cloud}`),
    remove: () => {
      for (const pid of processesWith(`GOLD_CLOUD=${cloud}`)) endProcess(pid)
      rmSync(root, { recursive: true, force: true })
    },
  }
}

/** The result, when it is a success; else an error with all that was said. */
export function succeeded(ran: Ran): Ran {
  if (ran.exit !== 0) throw new Error(`exit ${ran.exit}\n${ran.out}\n${ran.err}`)
  return ran
}

/** Waits until `holds`; fails with `what` after `limitMs`. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  { what, limitMs = 180_000 }: { readonly what: string; readonly limitMs?: number },
): Promise<void> {
  const end = performance.now() + limitMs
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`${what}: not within ${limitMs} ms`)
    await new Promise(done => setTimeout(done, 20))
  }
}

/** Every file below a folder whose bytes hold the text, or its base64 form. */
export function filesHolding(folder: string, text: string): readonly string[] {
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
function putSdkAbove(home: string): void {
  mkdirSync(home, { recursive: true })
  symlinkSync(sdkModules, join(home, 'node_modules'))
}

function putSdkBeside(program: string): void {
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

function startCommand(words: readonly string[], options: StartOptions): RunningCommand {
  const child = spawn(launcher, words, { cwd: options.cwd, env: options.env, detached: true })
  const said = { out: '', err: '' }
  child.stdout.setEncoding('utf8').on('data', text => {
    said.out += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    said.err += text
  })
  child.stdin.on('error', () => {})
  child.stdin.end(options.input ?? '')
  const pid = child.pid ?? 0
  return {
    pid,
    done: ended(child).then(exit => ({ exit, ...said })),
    said: () => said.out + said.err,
    kill: (signal, whom) => void process.kill(whom === 'group' ? -pid : pid, signal),
  }
}

const signalNumbers: Readonly<Record<string, number>> = { SIGINT: 2, SIGKILL: 9, SIGTERM: 15 }

function ended(child: ChildProcess): Promise<number> {
  return new Promise((done, failed) => {
    child.on('error', failed)
    child.on('close', (code, signal) => done(code ?? 128 + (signalNumbers[signal ?? ''] ?? 0)))
  })
}

/** The objects of a provider's cloud. */
export function objectsIn(cloud: string): readonly CloudObject[] {
  const folder = join(cloud, 'objects')
  return readdirSync(folder).flatMap(name => {
    const file = join(folder, name)
    // One that is deleted between the two looks is none.
    return existsSync(file) ? [objectFrom(file)] : []
  })
}

/**
 * A file that is being written, or whose writer was killed, is an object all the same: its name
 * says which.
 */
function objectFrom(file: string): CloudObject {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as CloudObject
  } catch {
    return { id: basename(file, '.json'), type: 'gold:index:Thing', props: {} }
  }
}

function linesIn(file: string): readonly string[] {
  if (!existsSync(file)) return []
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(line => line !== '')
}

/** A program or plugin carries the environment of its command, ourselves do not. */
function processesWith(variable: string): readonly number[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .map(Number)
    .filter(pid => environmentOfProcess(pid).includes(variable))
}

function environmentOfProcess(pid: number): readonly string[] {
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
