import { isTruthy } from '../../shared/config/truthy.ts'
import { createError } from '../../shared/errors/error.ts'
import type { Command, DeploymentOptions } from '../../shared/records/log.ts'
import type { Flags } from '../arguments/flags.ts'
import {
  readVariableOptions,
  readParallel,
  mustRefresh,
  readRelease,
  mustRunProgram,
} from '../operations/operation-options.ts'
import { requireOperationStack, saveConfigFlags } from '../operations/operation-request.ts'
import type { EnginePort } from '../../local/engine-port.ts'
import type { CliSession } from '../session/session.ts'
import { type StackId, stackPartsOf } from '../../shared/records/ids.ts'
import { openStackFile } from '../stack/stack-secrets.ts'
import type { PreparedResume, PreparedOperation } from '../operations/prepared-operation.ts'
import { refuseLocalOptions } from './options-without-api.ts'
import { readTargeting } from '../operations/targeting.ts'

/** The commands that can be resumed. An interrupted edit of the state is closed instead. */
const resumableCommands: readonly Command[] = ['up', 'refresh', 'destroy', 'import']

/**
 * Prepares a deployment through the API of the session's login. The program is packed and uploaded
 * once, even if a preview comes first. The process that deploys decrypts the secrets of the stack.
 * Throws FEATURE_MISSING for options that the API does not support.
 */
export async function prepareRemoteStart(
  session: CliSession,
  flags: Flags,
  { command, imports }: Pick<DeploymentOptions, 'command' | 'imports'>,
): Promise<PreparedOperation> {
  refuseLocalOptions(flags)
  const { remote } = await session.openEngine()
  if (remote === undefined) throw createError('LOGIN_MISSING', 'not logged in to an API')
  const { project, stack } = await requireOperationStack(session, flags, command)
  const release = readRelease(flags)
  const targeting = readTargeting(flags)
  saveConfigFlags(flags, openStackFile(session, project, { stack }), project)
  const options = {
    command,
    refresh: command !== 'refresh' && command !== 'import' && mustRefresh(flags, project),
    continueOnError:
      flags.isSet('continueOnError') || isTruthy(session.io.env['PULUMI_CONTINUE_ON_ERROR']),
    message: flags.text('message') ?? '',
    ...(command !== 'import' && mustRunProgram(session, flags) ? { runProgram: true } : {}),
    ...readVariableOptions(session),
    ...(flags.isSet('ignoreProtect') ? { ignoreProtect: true } : {}),
    ...(flags.text('parallel') === undefined ? {} : { parallel: readParallel(session, flags) }),
    release,
    ...(targeting === undefined ? {} : { targeting }),
    ...(imports === undefined ? {} : { imports }),
  }
  let uploadPromise: ReturnType<typeof remote.upload> | undefined
  return {
    stack,
    refreshesFirst: options.refresh,
    async start(dryRun, sink) {
      uploadPromise ??= remote.upload(stack, project.root)
      const { archive } = await uploadPromise
      return remote.deploy(stack, { dryRun, archive, options }, sink)
    },
  }
}

/**
 * Prepares a request to the server of the API to resume a stack's interrupted deployment. Throws
 * NOTHING_TO_RESUME, and FEATURE_MISSING for options that the API does not support.
 */
export async function prepareRemoteResume(
  flags: Flags,
  { remote, readStatus, platform }: EnginePort,
  { stack, wantedNumber }: { readonly stack: StackId; readonly wantedNumber: number | undefined },
): Promise<PreparedResume> {
  refuseLocalOptions(flags)
  if (remote === undefined) throw createError('LOGIN_MISSING', 'not logged in to an API')
  const { stack: stackName } = stackPartsOf(stack)
  const status = await readStatus(stack)
  const [lastRecord] = await platform.catalog.listHistory(stack, 1)
  const command = resumableCommands.find(candidate => candidate === lastRecord?.command)
  if (status.kind === 'none' || command === undefined)
    throw createError(
      'NOTHING_TO_RESUME',
      `no deployment of '${stackName}' is running or interrupted`,
    )
  const { number } = status
  if (wantedNumber !== undefined && wantedNumber !== number)
    throw createError(
      'NOTHING_TO_RESUME',
      `deployment ${wantedNumber} of '${stackName}' is not open`,
    )
  const start: PreparedOperation['start'] = (_dryRun, sink) => remote.resume(stack, number, sink)
  return { number, command, isComparable: false, start }
}
