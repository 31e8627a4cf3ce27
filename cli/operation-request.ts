import { resolve } from 'node:path'
import { isTruthy } from '../shared/config/truthy.ts'
import { error } from '../shared/errors/error.ts'
import type { DeployRequest } from '../shared/engine/request.ts'
import { clientRuntime } from '../shared/programs/language-host.ts'
import type { Project } from '../shared/programs/project.ts'
import { type StackConfig, writeStackConfig } from '../shared/programs/stack-config.ts'
import type { Command } from '../shared/records/log.ts'
import { type StackId, stackPartsOf } from '../shared/records/ids.ts'
import { folderRequest } from '../functions/surroundings/folder-request.ts'
import { putConfigValue, readKey } from './config-edit.ts'
import type { Flags } from './flags.ts'
import {
  functionLimitOf,
  optionsOfVariables,
  parallelOf,
  policyPacksOf,
  refreshOf,
  releaseOf,
  runProgramOf,
} from './operation-options.ts'
import type { Session } from './session.ts'
import { openStackFile, stackManager } from './stack-secrets.ts'
import { targetingOf } from './targeting.ts'

/**
 * The request that flags, project and stack file amount to. Values of -c are written to the stack
 * file first, as Pulumi does. Throws STACK_NOT_FOUND, STACK_NOT_SELECTED and what reading the
 * project, configuration and secrets throws.
 */
export async function requestOf(
  session: Session,
  flags: Flags,
  command: Command,
): Promise<DeployRequest> {
  const { project: found, stack } = await askedStack(session)
  const project = withClient(found, flags)
  const parallel = parallelOf(session, flags)
  const release = releaseOf(flags)
  const targeting = targetingOf(flags)
  const functionLimitMs = functionLimitOf(flags)
  const refresh = command !== 'refresh' && command !== 'import' && refreshOf(flags, project)
  const runProgram = command !== 'import' && runProgramOf(session, flags)
  const file = openStackFile(session, project, { stack, file: flags.text('configFile') })
  keepConfig(flags, file, project)
  const secrets = await stackManager(session, stack, file)
  const configFile = flags.text('configFile')
  return {
    ...folderRequest({
      stack,
      project,
      file,
      secrets,
      check: needsConfig(command, runProgram) && !flags.is('skipConfigValidation'),
      names: command === 'up',
      ...(configFile === undefined ? {} : { configFile: resolve(session.cwd, configFile) }),
    }),
    dryRun: false,
    resume: false,
    options: {
      command,
      parallel,
      refresh,
      execute: flags.text('execute') === 'elsewhere' ? 'elsewhere' : 'here',
      continueOnError:
        flags.is('continueOnError') || isTruthy(session.io.env['PULUMI_CONTINUE_ON_ERROR']),
      message: flags.text('message') ?? '',
      ...(runProgram ? { runProgram: true } : {}),
      ...optionsOfVariables(session),
      ...(flags.is('ignoreProtect') ? { ignoreProtect: true } : {}),
      release,
      ...policyPacksOf(session, flags),
      ...(targeting === undefined ? {} : { targeting }),
    },
    wait: flags.is('wait'),
    ...(functionLimitMs === undefined ? {} : { functionLimitMs }),
    ...debuggedOf(flags),
    ...(flags.is('debug') ? { debug: true } : {}),
    pendingCreates: {
      exist: pairsOf(flags.list('importPendingCreates')),
      forget: flags.is('clearPendingCreates'),
    },
  }
}

/** The project, its program run by a host that runs already where --client names one. */
function withClient(project: Project, flags: Flags): Project {
  const address = flags.text('client')
  if (address === undefined) return project
  if (functionLimitOf(flags) !== undefined)
    throw error('CLI_USAGE', '--client and --function-limit cannot be used together', {
      hint: 'A program that runs already has one life: leave --function-limit out.',
    })
  return { ...project, runtime: clientRuntime, runtimeOptions: { address } }
}

/** What is to wait for a debugger. Throws CLI_USAGE. */
function debuggedOf(flags: Flags): Pick<DeployRequest, 'debugged'> {
  const debugged = flags.list('attachDebugger')
  for (const one of debugged)
    if (!['program', 'plugins', 'all'].includes(one) && !one.startsWith('plugin:'))
      throw error('CLI_USAGE', `invalid --attach-debugger flag value: ${one}`, {
        hint: 'It is program, plugins, plugin:<name> or all.',
      })
  return debugged.length === 0 ? {} : { debugged }
}

/** Whether the configuration that the project asks for must be there. */
function needsConfig(command: Command, runProgram: boolean): boolean {
  return command === 'up' || command === 'import' || runProgram
}

/**
 * The stack that is asked for, of the project of the folder. Throws STACK_NOT_FOUND,
 * STACK_NOT_SELECTED, PROJECT_*, CLI_USAGE.
 */
export async function askedStack(
  session: Session,
): Promise<{ readonly project: Project; readonly stack: StackId }> {
  const project = session.project()
  const stack = await session.existingStack()
  const parts = stackPartsOf(stack)
  if (parts.project !== project.name)
    throw error(
      'CLI_USAGE',
      `the stack belongs to project '${parts.project}', not '${project.name}'`,
    )
  return { project, stack }
}

/**
 * URNs and ids: in turn in options of their own, as Pulumi takes them and as they are, or as
 * `urn,id` pairs in one option or several. Throws CLI_USAGE.
 */
function pairsOf(given: readonly string[]): ReadonlyMap<string, string> {
  const isInTurn = given.every((text, at) => text.startsWith('urn:') === (at % 2 === 0))
  const words = isInTurn && given.length % 2 === 0 ? given : given.flatMap(text => text.split(','))
  if (words.length % 2 === 1)
    throw error('CLI_USAGE', '--import-pending-creates takes pairs: <urn>,<id>')
  const pairs = new Map<string, string>()
  for (let at = 0; at < words.length; at += 2) pairs.set(words[at] ?? '', words[at + 1] ?? '')
  return pairs
}

/** Writes the values of -c to the stack file. Throws CONFIG_INVALID. */
export function keepConfig(flags: Flags, file: StackConfig, project: Project): void {
  const given = flags.list('config')
  for (const pair of given) {
    const at = pair.indexOf('=')
    const text = at < 0 ? '' : pair.slice(at + 1)
    const key = readKey(at < 0 ? pair : pair.slice(0, at), project.name, flags.is('configPath'))
    putConfigValue(file, key, text)
  }
  if (given.length > 0) writeStackConfig(file)
}
