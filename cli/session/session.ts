import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import { error } from '../../shared/errors/error.ts'
import { readProject } from '../../shared/programs/project/project-file.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { type StackId, stackIdOf, stackPartsOf } from '../../shared/records/ids.ts'
import type { Io } from './io.ts'
import type { EnginePort } from './engine-port.ts'
import { readLogin } from '../remote/login.ts'
import { readSelectedStack } from '../stack/selected-stack.ts'
import { parseStackName } from '../../shared/records/stack-name.ts'
import type { Tools } from './tools.ts'

/** The options that every command takes. */
export interface GlobalOptions {
  readonly cwd?: string
  readonly stack?: string
  readonly nonInteractive: boolean
  readonly color: 'always' | 'never' | 'auto'
  readonly verbose: boolean
}

/** One run of the command line: what was asked for all commands, and the parts they share. */
export interface CliSession {
  readonly io: Io
  readonly tools: Tools
  readonly verbose: boolean
  readonly color: boolean
  /** Whether a person can be asked. */
  readonly interactive: boolean
  readonly home: string
  /** The folder that relative names of files start from. */
  readonly cwd: string
  readonly print: (line: string) => void
  readonly warn: (line: string) => void
  /** The project of the folder. Throws PROJECT_NOT_FOUND, PROJECT_INVALID. */
  readonly requireProject: () => Project
  /** The store of this machine, or the API that somebody logged in to; opened once. */
  readonly openEngine: () => Promise<EnginePort>
  /** The store of this machine, whatever somebody logged in to; opened once. */
  readonly openLocalEngine: () => Promise<EnginePort>
  /**
   * The id of a name, or of the named or selected stack; it need not exist. Throws
   * STACK_NOT_SELECTED.
   */
  readonly resolveStackId: (name?: string) => StackId
  /** The same, when it exists. Throws STACK_NOT_FOUND. */
  readonly requireStack: (name?: string) => Promise<StackId>
  readonly close: () => Promise<void>
}

/** Makes the session of one command. Nothing is opened before it is asked for. */
export function createCliSession(io: Io, tools: Tools, globals: GlobalOptions): CliSession {
  const cwd = resolve(io.cwd, globals.cwd ?? '.')
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw error('CLI_USAGE', `${cwd}, given with --cwd, is no folder`)
  const home = resolve(io.env['ANTICHAIN_HOME'] || join(homedir(), '.antichain'))
  let project: Project | undefined
  let localEngine: Promise<EnginePort> | undefined
  let remote: Promise<EnginePort> | undefined
  const openProject = (): Project => {
    project ??= readProject(cwd)
    return project
  }
  const openLocalEngine = (): Promise<EnginePort> => {
    localEngine ??= tools.openLocal({ home, verbose: globals.verbose })
    return localEngine
  }
  const openEngine = (): Promise<EnginePort> => {
    const login = readLogin(home)
    if (login === undefined) return openLocalEngine()
    remote ??= tools.openRemote(login)
    return remote
  }
  const resolveStackId = (name?: string): StackId => {
    const text = name || globals.stack || io.env['PULUMI_STACK'] || ''
    const chosen = text === '' ? readSelectedStack(home, openProject().file) : text
    if (chosen === '') throw error('STACK_NOT_SELECTED', 'no stack is named or selected')
    const parsed = parseStackName(chosen)
    return stackIdOf(parsed.project ?? openProject().name, parsed.stack)
  }
  return {
    io,
    tools,
    verbose: globals.verbose,
    color: shouldColor(io, globals.color),
    interactive: io.isTerminal && !globals.nonInteractive,
    home,
    cwd,
    print: line => io.stdout.write(`${line}\n`),
    warn: line => io.stderr.write(`${line}\n`),
    requireProject: openProject,
    openEngine,
    openLocalEngine,
    resolveStackId,
    requireStack: async name => {
      const id = resolveStackId(name)
      const { platform } = await openEngine()
      if ((await platform.catalog.getStack(id)) === undefined) throw stackNotFoundError(id)
      return id
    },
    close: async () => {
      await (await remote)?.close()
      await (await localEngine)?.close()
    },
  }
}

/** The error for a stack that does not exist. */
export function stackNotFoundError(id: StackId): Error {
  const { project, stack } = stackPartsOf(id)
  return error('STACK_NOT_FOUND', `no stack named '${stack}' of project '${project}' found`)
}

/** Asks for a yes; refuses where nobody can be asked. Throws CLI_USAGE. */
export async function confirm(
  session: CliSession,
  yes: boolean,
  question: { readonly text: string; readonly answer: string },
): Promise<boolean> {
  if (yes) return true
  if (!session.interactive)
    throw error('CLI_USAGE', '--yes must be passed in to proceed when nobody can be asked')
  const answer = await session.io.prompt(`${question.text} Type '${question.answer}' to go on:`)
  return answer.trim() === question.answer
}

function shouldColor(io: Io, color: GlobalOptions['color']): boolean {
  if (color !== 'auto') return color === 'always'
  return io.stdout.isTTY === true && !io.env['NO_COLOR']
}
