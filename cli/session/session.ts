import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import type { EnginePort } from '../../local/engine-port.ts'
import { unknownProject } from '../../shared/backends/backend-keys.ts'
import { createError, hasCode } from '../../shared/errors/error.ts'
import { readProject } from '../../shared/programs/project/project-file.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { type StackId, stackIdOf, stackPartsOf } from '../../shared/records/ids.ts'
import type { StackName } from '../../shared/records/stack-name.ts'
import { resolveHomeFolder } from '../../shared/runtime/environment/home-folder.ts'
import type { Io } from './io.ts'
import { readCurrentBackend } from '../backends/current-backend.ts'
import { resolveStackId, resolveStackName } from '../stack/resolve-stack-id.ts'
import { createEngineOpener, type EngineOpener } from './engine-opener.ts'
import type { Tools } from './tools.ts'

/** The options of every command. */
export interface GlobalOptions {
  readonly cwd?: string
  readonly stack?: string
  readonly nonInteractive: boolean
  readonly color: 'always' | 'never' | 'auto'
  readonly verbose: boolean
}

/** One run of the command line: its global options, and the functions that commands share. */
export interface CliSession extends EngineOpener {
  readonly io: Io
  readonly tools: Tools
  readonly verbose: boolean
  /** Whether the output has colors. */
  readonly color: boolean
  /** Whether prompts are possible: on a terminal, without --non-interactive. */
  readonly mayPrompt: boolean
  /** The folder of the store and the login: ANTICHAIN_HOME, or `~/.antichain`. */
  readonly home: string
  /** The folder to which relative file names refer. */
  readonly cwd: string
  readonly print: (line: string) => void
  readonly printToStderr: (line: string) => void
  /** Returns the project of the folder `cwd`. Throws PROJECT_NOT_FOUND, PROJECT_INVALID. */
  readonly requireProject: () => Project
  /**
   * Returns the id of the stack `name`. Without a name, the stack is that of --stack, or else that
   * of PULUMI_STACK, or else the selected one. The stack need not exist. Throws STACK_NOT_SELECTED.
   */
  readonly resolveStackId: (name?: string) => StackId
  /** Like `resolveStackId`, but only for an existing stack. Throws STACK_NOT_FOUND. */
  readonly requireStack: (name?: string) => Promise<StackId>
}

/** Creates the session of one command. Project and engines are opened on demand. */
export function createCliSession(io: Io, tools: Tools, globals: GlobalOptions): CliSession {
  const cwd = resolve(io.cwd, globals.cwd ?? '.')
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory())
    throw createError('CLI_USAGE', `--cwd is not a folder: ${cwd}`)
  const home = resolveHomeFolder(io.env)
  let project: Project | undefined
  const openProject = (): Project => {
    project ??= readProject(cwd)
    return project
  }
  const engineOpener = createEngineOpener(tools, {
    home,
    cwd,
    verbose: globals.verbose,
    group: io.env['ANTICHAIN_GROUP'],
    readBackend: () => readCurrentBackend({ home, cwd, env: io.env })?.address,
  })
  const stackNameSources = {
    stackOption: globals.stack,
    env: io.env,
    home,
    requireProject: openProject,
  }
  return {
    io,
    tools,
    verbose: globals.verbose,
    color: shouldColor(io, globals.color),
    mayPrompt: io.isTerminal && !globals.nonInteractive,
    home,
    cwd,
    print: line => io.stdout.write(`${line}\n`),
    printToStderr: line => io.stderr.write(`${line}\n`),
    requireProject: openProject,
    ...engineOpener,
    resolveStackId: name => resolveStackId(stackNameSources, name),
    requireStack: async name => {
      const { platform, findLegacyStack } = await engineOpener.openEngine()
      const id =
        findLegacyStack === undefined
          ? resolveStackId(stackNameSources, name)
          : await requireLegacyStack(findLegacyStack, {
              name: resolveStackName(stackNameSources, name),
              project: findProjectName({ requireProject: openProject }),
            })
      if ((await platform.catalog.getStack(id)) === undefined) throw createStackNotFoundError(id)
      return id
    },
  }
}

/**
 * Returns the id of a stack of a legacy backend, where stacks have names without a project.
 * `project`: that of the folder. Throws STACK_NOT_FOUND, also if `name` has a project that is not
 * the stack's.
 */
async function requireLegacyStack(
  findLegacyStack: NonNullable<EnginePort['findLegacyStack']>,
  { name, project }: { readonly name: StackName; readonly project: string | undefined },
): Promise<StackId> {
  const id = await findLegacyStack(name.stack, name.project ?? project)
  const isFound =
    id !== undefined && (name.project === undefined || name.project === stackPartsOf(id).project)
  if (isFound) return id
  throw createStackNotFoundError(stackIdOf(name.project ?? project ?? unknownProject, name.stack))
}

/** Returns the name of the folder's project. Returns undefined outside a project. */
export function findProjectName({
  requireProject,
}: Pick<CliSession, 'requireProject'>): string | undefined {
  try {
    return requireProject().name
  } catch (thrown) {
    if (hasCode(thrown, 'PROJECT_NOT_FOUND')) return undefined
    throw thrown
  }
}

/** Returns the error for a stack that does not exist. */
export function createStackNotFoundError(id: StackId): Error {
  const { project, stack } = stackPartsOf(id)
  return createError('STACK_NOT_FOUND', `no stack named '${stack}' of project '${project}' found`)
}

/**
 * Prompts for confirmation unless `isConfirmed` is set, and reports whether the user confirmed.
 * Throws CLI_USAGE when a prompt is required but not possible.
 */
export async function confirm(
  session: CliSession,
  isConfirmed: boolean,
  question: { readonly text: string; readonly answer: string },
): Promise<boolean> {
  if (isConfirmed) return true
  requireConfirmable(session, isConfirmed)
  const answer = await session.io.prompt(`${question.text} Type '${question.answer}' to continue:`)
  return answer.trim() === question.answer
}

/** Throws CLI_USAGE if a confirmation is missing and the session cannot ask for it. */
export function requireConfirmable(
  { mayPrompt }: Pick<CliSession, 'mayPrompt'>,
  isConfirmed: boolean,
): void {
  if (!isConfirmed && !mayPrompt)
    throw createError('CLI_USAGE', '--yes must be passed in to proceed in non-interactive mode')
}

/** Asks a question in a terminal. Reports whether the user answers with yes: the default is no. */
export async function askYesNo({ io }: Pick<CliSession, 'io'>, question: string): Promise<boolean> {
  const answer = await io.prompt(`${question} (y/N)`)
  return ['y', 'yes'].includes(answer.trim().toLowerCase())
}

function shouldColor(io: Io, color: GlobalOptions['color']): boolean {
  if (color !== 'auto') return color === 'always'
  return io.stdout.isTTY === true && !io.env['NO_COLOR']
}
