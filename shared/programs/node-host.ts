import { setTimeout as sleep } from 'node:timers/promises'
import type { ChildProcess, ProcessesPort } from '../ports/system.ts'
import { parseConfigKey } from './config-key.ts'
import { chooseNode } from './node-binary.ts'
import { findNodeSdk } from './node-sdk.ts'
import { eachLine } from './output-lines.ts'
import type { ProgramEnd, ProgramHost, ProgramRun, RunningProgram } from './program.ts'
import { wordsOf } from './words.ts'

/** What running Node programs needs. */
export interface NodeHostDeps {
  readonly processes: ProcessesPort
  /** The user's environment, with PATH as it was before our launcher changed it. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** Antichain's own `node`. */
  readonly ourNode: string
  /** How long a program that was interrupted may take to end; default 5 s, as under Pulumi. */
  readonly stopPatienceMs?: number
}

/** The exit code of a program that told its errors itself. */
const toldExit = 32

/** How long output may go on after the program's end, held open by a process that it left. */
const drainMs = 1000

/** Runs Node programs through the SDK's own runner (`engine.md` 1.3, 1.5). */
export function createNodeProgramHost(deps: NodeHostDeps): ProgramHost {
  const env = definedOf(deps.env)
  let noted = false
  return {
    run: async (run, said) => {
      const sdk = findNodeSdk(run.directory, env['PULUMI_LANGUAGE_NODEJS_RUN_PATH'] ?? '')
      const nodeArgs = wordsOf(textOption(run, 'nodeargs'))
      const { engines } = sdk
      const { processes, ourNode } = deps
      const node = await chooseNode({ processes, ourNode, env, engines, directory: run.directory })
      if (node.note !== '' && !noted) said(node.note, 'stderr')
      noted = true
      const child = processes.spawn({
        command: node.command,
        args: [...nodeArgs, sdk.runner, ...programArguments(run)],
        cwd: run.directory,
        env: { ...env, ...programEnvironment(run) },
      })
      return watch(child, said, deps.stopPatienceMs ?? 5000)
    },
  }
}

/** The flags of the SDK's runner, in the order of Pulumi's language host, and the entry point. */
export function programArguments(run: ProgramRun): readonly string[] {
  const flags: readonly (readonly [name: string, value: string])[] = [
    ['--monitor', run.monitorAddress],
    ['--engine', run.engineAddress],
    ['--organization', run.organization],
    ['--project', run.project],
    ['--root-directory', run.root],
    ['--stack', run.stack],
    ['--pwd', run.directory],
  ]
  return [
    ...flags.filter(([, value]) => value !== '').flat(),
    ...(run.dryRun ? ['--dry-run'] : []),
    '--parallel',
    String(run.parallel),
    run.entryPoint,
  ]
}

/** What a program finds in its environment beside the user's; config keys in the old spelling. */
export function programEnvironment(run: ProgramRun): Readonly<Record<string, string>> {
  const config = [...run.config].map(([key, text]): readonly [string, string] => {
    const { namespace, name } = parseConfigKey(key, run.project)
    return [`${namespace}:config:${name}`, text]
  })
  const tsconfig = textOption(run, 'tsconfig')
  return {
    PULUMI_CONFIG: JSON.stringify(Object.fromEntries(config)),
    PULUMI_CONFIG_SECRET_KEYS: JSON.stringify(run.configSecretKeys),
    ...(run.runtimeOptions['typescript'] === false ? {} : { PULUMI_NODEJS_TYPESCRIPT: 'true' }),
    ...(tsconfig === '' ? {} : { PULUMI_NODEJS_TSCONFIG_PATH: tsconfig }),
  }
}

function watch(
  child: ChildProcess,
  said: (line: string, stream: 'stdout' | 'stderr') => void,
  patienceMs: number,
): RunningProgram {
  let outOfMemory = false
  const output = Promise.all([
    eachLine(child.stdout, line => said(line, 'stdout')),
    eachLine(child.stderr, line => {
      outOfMemory ||= line.includes('JavaScript heap out of memory')
      said(line, 'stderr')
    }),
  ])
  const finish = async (): Promise<ProgramEnd> => {
    const exit = await child.exit
    if (!(await isDoneWithin(output, drainMs))) child.signal('SIGKILL')
    return endOf(exit, outOfMemory)
  }
  const ended = finish()
  return {
    ended,
    stop: async () => {
      child.signal('SIGINT')
      if (!(await isDoneWithin(child.exit, patienceMs))) child.signal('SIGKILL')
      await ended
    },
  }
}

function endOf(
  exit: { readonly code: number | null; readonly signal: string | null },
  outOfMemory: boolean,
): ProgramEnd {
  if (exit.code === 0) return { error: undefined, bail: false }
  if (exit.code === toldExit) return { error: undefined, bail: true }
  const hint = outOfMemory
    ? '. It ran out of memory: give it more with `nodeargs: --max-old-space-size=<megabytes>` under the runtime options of the project file'
    : ''
  const how =
    exit.code === null
      ? `Program was killed by ${exit.signal ?? 'a signal'}`
      : `Program exited with non-zero exit code: ${exit.code}`
  return { error: how + hint, bail: false }
}

async function isDoneWithin(work: Promise<unknown>, ms: number): Promise<boolean> {
  const timer = new AbortController()
  const late = sleep(ms, false, { signal: timer.signal }).catch(() => false)
  const done = await Promise.race([work.then(() => true), late])
  timer.abort()
  return done
}

function textOption(run: ProgramRun, name: string): string {
  const value: unknown = run.runtimeOptions[name]
  return typeof value === 'string' ? value : ''
}

function definedOf(
  env: Readonly<Record<string, string | undefined>>,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )
}
