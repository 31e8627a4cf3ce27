import { readProject } from '../../shared/programs/project/project-file.ts'
import { writeStackConfig } from '../../shared/programs/config/stack-config.ts'
import { hasCode, messageOf } from '../../shared/errors/error.ts'
import { type StackId, stackIdOf, stackPartsOf } from '../../shared/records/ids.ts'
import type { Flags } from '../arguments/flags.ts'
import { type CliSession, createCliSession } from '../session/session.ts'
import { createStack } from '../stack/create-stack.ts'
import { openStackFile } from '../stack/stack-secrets.ts'
import { type RemoteRunDeps, runRemotely } from './run-remotely.ts'

/** Longest time of a deployment of a check. A task of the long pool starts within some minutes. */
const checkLimitMs = 15 * 60_000
/** Longest time of the deployment that destroys the resources of a check. */
const destroyLimitMs = 5 * 60_000

/** The settings of the program: the number of resources, and the duration of each create. */
export interface ProgramSettings {
  readonly count: number
  readonly delayMs: number
  /** The time limit of each create, as in `customTimeouts`. */
  readonly createLimit?: string
}

/** A stack of a check. Its program was uploaded to the API. */
export interface CheckStack {
  readonly id: StackId
  /** The path of the stack at the API. */
  readonly path: string
  /** Runs `up`. Throws DEPLOYMENT_FAILED, DEPLOYMENT_CANCELLED, and the errors of the API. */
  readonly up: () => Promise<void>
}

/** The stacks of one verification, in a project of their own. */
export interface CheckStacks {
  /** Creates a stack and sends its program. Throws STACK_EXISTS, and the errors of the API. */
  readonly create: (name: string, settings: ProgramSettings) => Promise<CheckStack>
  /**
   * Destroys and removes the stacks that were created since the last call. Returns a sentence for
   * each stack that remains.
   */
  readonly removeAll: () => Promise<readonly string[]>
}

/** The program of the stacks, and the key of their secrets. */
export interface CheckStackSettings {
  /** The folder of the program. */
  readonly folder: string
  readonly secretsProvider: string
  /** The profile of the AWS configuration whose credentials use the key. */
  readonly profile: string | undefined
}

/** Creates the stacks of a verification at the API of the login. */
export function createCheckStacks(
  session: CliSession,
  deps: RemoteRunDeps,
  { folder, secretsProvider, profile }: CheckStackSettings,
): CheckStacks {
  const project = readProject(folder)
  const profileVariables = profile === undefined ? {} : { AWS_PROFILE: profile }
  const io = { ...session.io, env: { ...session.io.env, ...profileVariables } }
  const folderSession = createCliSession(io, session.tools, {
    cwd: folder,
    nonInteractive: true,
    color: 'never',
    verbose: session.verbose,
  })
  const flags = createProviderFlags(secretsProvider)
  const archives = new Map<StackId, string>()
  return {
    async create(name, settings) {
      const id = stackIdOf(project.name, name)
      // A stack whose creation fails halfway is removed, too.
      archives.set(id, '')
      await createStack(folderSession, id, flags)
      const file = openStackFile(folderSession, project, { stack: id })
      for (const [key, value] of Object.entries(settings))
        file.set(`${project.name}:${key}`, String(value))
      writeStackConfig(file)
      const { archive } = await deps.remote.upload(id, folder)
      archives.set(id, archive)
      const up = { stack: id, archive, command: 'up', limitMs: checkLimitMs } as const
      return { id, path: pathOf(id), up: () => runRemotely(deps, up) }
    },
    async removeAll() {
      const remainders = await Promise.all(
        [...archives].map(async ([stack, archive]) => {
          const failure = await removeCheckStack(deps, stack, archive).catch(messageOf)
          return failure === undefined ? [] : [`the stack ${fullNameOf(stack)} remains: ${failure}`]
        }),
      )
      archives.clear()
      return remainders.flat()
    },
  }
}

/**
 * Destroys and removes a stack. Without an archive the stack has no deployment yet. Its resources
 * exist in the state only, so a stack that cannot be destroyed is removed, too.
 */
async function removeCheckStack(
  { remote }: RemoteRunDeps,
  stack: StackId,
  archive: string,
): Promise<undefined> {
  // This signal never aborts, because the clean-up also runs after an interruption.
  const deps = { remote, signal: new AbortController().signal }
  const destroy = { stack, archive, command: 'destroy', limitMs: destroyLimitMs } as const
  if (archive !== '') await runRemotely(deps, destroy).catch(() => undefined)
  await remote.removeStack(stack, true).catch((thrown: unknown) => {
    if (!hasCode(thrown, 'STACK_NOT_FOUND')) throw thrown
  })
}

/** Returns the options of `stack init` with a secrets provider. */
function createProviderFlags(secretsProvider: string): Flags {
  return {
    isSet: () => false,
    text: name => (name === 'secretsProvider' ? secretsProvider : undefined),
    list: () => [],
  }
}

function pathOf(id: StackId): string {
  return `/v1/stacks/${fullNameOf(id)}`
}

/** Returns `<project>/<stack>`. Names of checks need no encoding in a path. */
function fullNameOf(id: StackId): string {
  const { project, stack } = stackPartsOf(id)
  return `${project}/${stack}`
}
