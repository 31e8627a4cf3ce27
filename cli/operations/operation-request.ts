import { resolve } from 'node:path'
import { isTruthy } from '../../shared/config/truthy.ts'
import { createError } from '../../shared/errors/error.ts'
import type { DeployInput } from '../../shared/engine/request.ts'
import { clientRuntime } from '../../shared/programs/hosts/language-host.ts'
import type { Project } from '../../shared/programs/project/project.ts'
import { type StackConfig, writeStackConfig } from '../../shared/programs/config/stack-config.ts'
import type { Command } from '../../shared/records/log.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import type { SecretsManager } from '../../shared/secrets/crypter.ts'
import { createFolderRequest } from '../../shared/runtime/programs/folder-request.ts'
import { putConfigValue, parseConfigEditKey } from '../config/edit-config.ts'
import type { Flags } from '../arguments/flags.ts'
import {
  readFunctionLimit,
  readVariableOptions,
  readParallel,
  readPolicyPacks,
  mustRefresh,
  readRelease,
  mustRunProgram,
} from './operation-options.ts'
import type { CliSession } from '../session/session.ts'
import { prepareStackState } from '../stack/service-secrets.ts'
import { exportEnvironment } from './export-environment.ts'
import { offerStack } from '../stack/offer-stack.ts'
import {
  openStackFile,
  openStackManager,
  openStateManager,
  ownKeysOf,
} from '../stack/stack-secrets.ts'
import { readTargeting } from './targeting.ts'

/**
 * Builds the request of a command from flags, project and stack file. Values of -c are written to
 * the stack file first, as in Pulumi. Throws STACK_NOT_FOUND, STACK_NOT_SELECTED, and the errors of
 * reading project, configuration and secrets.
 */
export async function buildRequest(
  session: CliSession,
  flags: Flags,
  command: Command,
): Promise<DeployInput> {
  const { project: folderProject, stack } = await requireOperationStack(session, flags, command)
  const project = withClient(folderProject, flags)
  const parallel = readParallel(session, flags)
  const release = readRelease(flags)
  const targeting = readTargeting(flags)
  const functionLimitMs = readFunctionLimit(flags)
  const refresh = command !== 'refresh' && command !== 'import' && mustRefresh(flags, project)
  const runProgram = command !== 'import' && mustRunProgram(session, flags)
  const file = openStackFile(session, project, { stack, file: flags.text('configFile') })
  saveConfigFlags(flags, file, project)
  exportEnvironment(file.readEnvironment(project.root))
  const secrets = await openManagerAndPreload(session, stack, file)
  await prepareStackState(session, stack, secrets)
  const configFile = flags.text('configFile')
  return {
    ...createFolderRequest({
      stack,
      project,
      file,
      secrets,
      mustCheckRequired:
        requiresConfig(command, runProgram) && !flags.isSet('skipConfigValidation'),
      usesAutonaming: command === 'up',
      ...(configFile === undefined ? {} : { configFile: resolve(session.cwd, configFile) }),
    }),
    openStateSecrets: state => openStateManager(session, state, ownKeysOf(stack)),
    dryRun: false,
    resume: false,
    options: {
      command,
      parallel,
      refresh,
      execute: flags.text('execute') === 'elsewhere' ? 'elsewhere' : 'here',
      continueOnError:
        flags.isSet('continueOnError') || isTruthy(session.io.env['PULUMI_CONTINUE_ON_ERROR']),
      message: flags.text('message') ?? '',
      ...(runProgram ? { runProgram: true } : {}),
      ...readVariableOptions(session),
      ...(flags.isSet('ignoreProtect') ? { ignoreProtect: true } : {}),
      release,
      ...readPolicyPacks(session, flags),
      ...(targeting === undefined ? {} : { targeting }),
    },
    wait: flags.isSet('wait'),
    ...(functionLimitMs === undefined ? {} : { functionLimitMs }),
    ...readDebuggedProcesses(flags),
    ...(flags.isSet('debug') ? { debug: true } : {}),
    pendingCreates: {
      existingIds: parsePendingPairs(flags.list('importPendingCreates')),
      mustClearOthers: flags.isSet('clearPendingCreates'),
    },
  }
}

/**
 * Opens the secrets manager of a stack. Other threads or services derive its key, so this thread
 * loads the code of deployments meanwhile. The load waits for the next turn of the event loop,
 * because the derivation would otherwise begin after the load.
 */
async function openManagerAndPreload(
  session: CliSession,
  stack: StackId,
  file: StackConfig,
): Promise<SecretsManager> {
  const engine = await session.openEngine()
  await session.tools.loadSecrets()
  const opening = openStackManager(session, stack, file)
  setImmediate(engine.preload)
  return opening
}

/** Returns the project. With --client, a host that is already running runs the program. */
function withClient(project: Project, flags: Flags): Project {
  const address = flags.text('client')
  if (address === undefined) return project
  if (readFunctionLimit(flags) !== undefined)
    throw createError('CLI_USAGE', '--client and --function-limit cannot be used together', {
      hint: 'Omit --function-limit: a program that is already running can run only once.',
    })
  return { ...project, runtime: clientRuntime, runtimeOptions: { address } }
}

/** Returns the processes that wait for a debugger. Throws CLI_USAGE. */
function readDebuggedProcesses(flags: Flags): Pick<DeployInput, 'debuggedProcesses'> {
  const debuggedProcesses = flags.list('attachDebugger')
  for (const name of debuggedProcesses)
    if (!['program', 'plugins', 'all'].includes(name) && !name.startsWith('plugin:'))
      throw createError('CLI_USAGE', `invalid --attach-debugger flag value: ${name}`, {
        hint: 'Use program, plugins, plugin:<name> or all.',
      })
  return debuggedProcesses.length === 0 ? {} : { debuggedProcesses }
}

/**
 * Returns the project and stack of an operation. As in Pulumi, `up` and `refresh` offer to create a
 * missing stack. Throws like `requireProjectStack`.
 */
export function requireOperationStack(
  session: CliSession,
  flags: Flags,
  command: Command,
): ReturnType<typeof requireProjectStack> {
  const offersCreation = command === 'up' || command === 'refresh'
  return requireProjectStack(session, offersCreation ? flags : undefined)
}

/** Reports whether a command fails if the stack lacks configuration that the project requires. */
function requiresConfig(command: Command, runProgram: boolean): boolean {
  return command === 'up' || command === 'import' || runProgram
}

/**
 * Returns the project of the folder and its requested stack. If there is no such stack and
 * `creationFlags` are present, lets the user select or create one. Throws STACK_NOT_FOUND,
 * STACK_NOT_SELECTED, PROJECT_*, CLI_USAGE.
 */
export async function requireProjectStack(
  session: CliSession,
  creationFlags?: Flags,
): Promise<{ readonly project: Project; readonly stack: StackId }> {
  const project = session.requireProject()
  const stack = await session.requireStack().catch((failure: unknown) => {
    if (creationFlags === undefined) throw failure
    return offerStack(session, creationFlags, failure)
  })
  const parts = stackPartsOf(stack)
  if (parts.project !== project.name)
    throw createError(
      'CLI_USAGE',
      `the stack belongs to project '${parts.project}', not '${project.name}'`,
    )
  return { project, stack }
}

/**
 * Parses URNs and ids: alternating in separate options, as in Pulumi, or as `urn,id` pairs in one
 * or more options. Throws CLI_USAGE.
 */
function parsePendingPairs(values: readonly string[]): ReadonlyMap<string, string> {
  const isAlternating = values.every((text, index) => text.startsWith('urn:') === (index % 2 === 0))
  const parts =
    isAlternating && values.length % 2 === 0 ? values : values.flatMap(text => text.split(','))
  if (parts.length % 2 === 1)
    throw createError('CLI_USAGE', '--import-pending-creates takes pairs: <urn>,<id>')
  const pairs = new Map<string, string>()
  for (let index = 0; index < parts.length; index += 2)
    pairs.set(parts[index] ?? '', parts[index + 1] ?? '')
  return pairs
}

/** Writes the values of -c to the stack file. Throws FILE_UNWRITABLE. */
export function saveConfigFlags(flags: Flags, file: StackConfig, project: Project): void {
  const pairs = flags.list('config')
  for (const pair of pairs) {
    const separator = pair.indexOf('=')
    const text = separator < 0 ? '' : pair.slice(separator + 1)
    const key = parseConfigEditKey(
      separator < 0 ? pair : pair.slice(0, separator),
      project.name,
      flags.isSet('configPath'),
    )
    putConfigValue(file, key, text)
  }
  if (pairs.length > 0) writeStackConfig(file)
}
