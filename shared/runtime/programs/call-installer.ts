import { createHash } from 'node:crypto'
import { programLimits } from '../../config/program-limits.ts'
import { createError, hasCode } from '../../errors/error.ts'
import { createAwsError } from '../../platform/aws/aws-error.ts'
import type { InstallUpload } from '../../platform/aws/blobs/install-uploads.ts'
import { callLambda, type LambdaInvoker } from '../../platform/aws/lambda-client.ts'
import type { OutboundPort } from '../../ports/outbound.ts'
import type { ClockPort, LoggerPort, RandomPort } from '../../ports/system.ts'
import { readRepositoryArchive } from '../../triggers/outbound/repository-archive.ts'
import { withFetchRetry } from './fetch-retry.ts'
import {
  cleanInstallerText,
  installAnswerForm,
  type InstallCall,
  type InstalledProgram,
  type InstallJob,
  type InstallProgram,
  type ProgramInstallRequest,
} from './install-job.ts'

/** Dependencies of calls of the installer's function. */
export interface InstallerCallerDeps {
  readonly lambda: LambdaInvoker
  readonly functionArn: string
  /** Creates the upload address for the packed program of one call. */
  readonly createUpload: () => Promise<InstallUpload>
  readonly outbound: OutboundPort
  /** Stores a packed repository, and returns a temporary address of it. */
  readonly storeSource: (archive: Uint8Array) => Promise<string>
  readonly clock: Pick<ClockPort, 'monotonicMs' | 'sleep'>
  readonly random: Pick<RandomPort, 'uuid'>
  readonly logger: LoggerPort
}

/**
 * Creates the `InstallProgram` that calls the installer's function. Each call has an execution
 * environment and an upload address of its own. A call is repeated if its environment dies early,
 * or if Lambda did not accept the call. An installer gets no credential of a repository. Throws the
 * errors of `installErrorCodes`, and the errors of `createAwsError` if the function cannot be
 * called or the store cannot be used.
 */
export function createInstallerCaller(deps: InstallerCallerDeps): InstallProgram {
  const { clock, logger } = deps
  return async request => {
    const startedMs = clock.monotonicMs()
    const job = await createJob(deps, request)
    for (let tryNumber = 1; ; tryNumber += 1) {
      const upload = await deps.createUpload()
      const outcome = await callOnce(deps, job, upload)
      if (outcome.kind === 'answered') return acceptAnswer(outcome.value, upload)
      const { repository, commit } = job
      const { message } = outcome.error
      logger.write('warn', 'installer.failed', { repository, commit, message })
      const isLate = clock.monotonicMs() - startedMs > programLimits.installerRetryMs
      if (isLate || tryNumber === programLimits.installerTriesMax) throw outcome.error
      await clock.sleep(programLimits.installerPauseMs)
    }
  }
}

/**
 * Returns the install job of a request. The job contains no credential of the repository. If the
 * request has one, this process fetches the repository and stores its archive. The job then
 * contains the address of the archive, as it does for an uploaded program.
 */
async function createJob(
  { clock, outbound, storeSource }: InstallerCallerDeps,
  { token, source, ...job }: ProgramInstallRequest,
): Promise<InstallJob> {
  if (source !== undefined) return { ...job, sourceAddress: await storeSource(source) }
  if (token === undefined) return job
  const limits = { timeoutMs: programLimits.sourceTimeoutMs }
  const fetchedSource = await withFetchRetry(clock, () =>
    readRepositoryArchive(outbound, { ...job, token }, limits),
  )
  return { ...job, location: await storeSource(fetchedSource) }
}

/** The result of one call. `failed`: another call may succeed. */
type CallOutcome =
  | { readonly kind: 'answered'; readonly value: unknown }
  | { readonly kind: 'failed'; readonly error: Error }

async function callOnce(
  { lambda, functionArn, random }: InstallerCallerDeps,
  job: InstallJob,
  { url, headers }: InstallUpload,
): Promise<CallOutcome> {
  const payload: InstallCall = { order: job, upload: { url, headers } }
  // Each call has its own tenant, so its scripts find no files or processes of another call.
  const call = { functionArn, payload, tenantId: random.uuid() }
  try {
    const outcome = await callLambda(lambda, call)
    return outcome.kind === 'failed'
      ? { kind: 'failed', error: createInstallerDiedError(outcome.reason) }
      : outcome
  } catch (thrown) {
    const awsError = createAwsError('function installer: invoke', thrown)
    if (!hasCode(awsError, 'STORE_UNAVAILABLE')) throw awsError
    return { kind: 'failed', error: awsError }
  }
}

function createInstallerDiedError(reason: string): Error {
  const shownReason = cleanInstallerText(reason)
  return createError('INSTALL_FAILED', `the installer ended without an answer: ${shownReason}`, {
    hint: 'Check that the installation needs less memory, disk and time than the installer has.',
  })
}

/**
 * Returns the program that the installer has uploaded. Scripts of packages can forge the answer, or
 * upload other bytes to the address. So the bytes must match the answer.
 */
async function acceptAnswer(value: unknown, upload: InstallUpload): Promise<InstalledProgram> {
  const { data: answer } = installAnswerForm.safeParse(value)
  if (answer === undefined)
    throw createError('INSTALL_FAILED', 'the answer of the installer is invalid')
  if (answer.kind === 'refused') {
    const { code, message, hint } = answer
    throw createError(code, message, { hint })
  }
  const archive = await upload.read()
  if (archive === undefined || hashOf(archive) !== answer.contentHash)
    throw createError(
      'INSTALL_FAILED',
      'the uploaded program is not the one that the installer packed',
      {
        hint: 'Check the scripts of the packages: one of them may have used the upload address.',
      },
    )
  return { archive, packages: answer.packages }
}

const hashOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
