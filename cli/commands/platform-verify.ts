import { randomBytes } from 'node:crypto'
import { rmSync } from 'node:fs'
import * as z from 'zod'
import { createError, messageOf } from '../../shared/errors/error.ts'
import type { EnginePort, RemoteApi } from '../../local/engine-port.ts'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { readInstallationTarget } from '../platform/installation-target.ts'
import type { CliSession } from '../session/session.ts'
import { checkAlarmIfPermitted } from '../verify/alarm-check.ts'
import {
  type CheckName,
  checkNames,
  type CheckOutcome,
  failedChecksOf,
  formatReports,
} from '../verify/check-report.ts'
import { createCheckStacks } from '../verify/check-stacks.ts'
import {
  checkChain,
  checkLongTimeout,
  checkPark,
  checkTwoStacks,
} from '../verify/deployment-checks.ts'
import { createCheckProgramFolder } from '../verify/check-program-folder.ts'
import { type CheckRun, runVerification } from '../verify/run-verification.ts'
import { checkWebhook, type WebhookCheckDeps } from '../verify/webhook-check.ts'

/**
 * `platform verify`: runs a smoke test in an installation, through the API of the login. It removes
 * its stacks and its webhook, also after a failure and after Ctrl-C. Throws PLATFORM_CHECK_FAILED,
 * LOGIN_MISSING, API_FORBIDDEN, INSTALL_FAILED, CLI_USAGE, and DEPLOYMENT_CANCELLED after Ctrl-C.
 */
export const verifyPlatform: Handler = async (session, flags) => {
  const names = readCheckNames(flags)
  const engine = await session.openEngine()
  const remote = await requireAdmin(engine)
  const secretsProvider = flags.text('secretsProvider') ?? readKeyUrl(session, flags)
  const controller = new AbortController()
  const removeInterruptHandler = session.io.onInterrupt(() => {
    if (!controller.signal.aborted) session.printToStderr('Stopping, and cleaning up.')
    controller.abort()
  })
  const project = `antichain-verify-${randomBytes(4).toString('hex')}`
  let folder: string | undefined
  let checkRun: CheckRun
  try {
    folder = await createCheckProgramFolder(session, { project, packages: flags.text('packages') })
    const { signal } = controller
    const stacks = createCheckStacks(
      session,
      { remote, signal },
      { folder, secretsProvider, profile: flags.text('profile') },
    )
    const deps = { engine, stacks }
    const checks = {
      chain: () => checkChain(deps),
      'two-stacks': () => checkTwoStacks(deps),
      park: () => checkPark(deps),
      'long-call': () => checkLongTimeout(deps),
      webhook: () => checkWebhookIfUrlFound(session, flags, { ...deps, name: project, signal }),
      alarm: () => checkAlarmIfPermitted(session, flags, signal),
    }
    checkRun = await runVerification(checks, {
      names,
      signal,
      cleanUp: stacks.removeAll,
      report: session.printToStderr,
    })
  } finally {
    removeInterruptHandler()
    if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
  }
  printReports(session, flags, checkRun)
  requirePassed(checkRun, controller.signal)
  return 0
}

/** Returns the checks of --only, or all checks, in the order of `checkNames`. Throws CLI_USAGE. */
function readCheckNames(flags: Flags): readonly CheckName[] {
  const selectedNames = flags.list('only')
  const unknownName = selectedNames.find(name => !checkNames.some(check => check === name))
  if (unknownName !== undefined)
    throw createError('CLI_USAGE', `--only takes ${checkNames.join(', ')}, not '${unknownName}'`)
  return checkNames.filter(name => selectedNames.length === 0 || selectedNames.includes(name))
}

const identityForm = z.object({
  role: z.string(),
  stacks: z.union([z.literal('*'), z.array(z.string())]),
})

/** Returns the API of the login. Throws LOGIN_MISSING, and API_FORBIDDEN without an admin token. */
async function requireAdmin({ remote, callApi }: EnginePort): Promise<RemoteApi> {
  if (remote === undefined)
    throw createError(
      'LOGIN_MISSING',
      'the checks need the API of an installation, and an admin token',
    )
  const response = await callApi({ method: 'GET', path: '/v1/whoami' })
  const { role, stacks } = identityForm.parse(response)
  if (role !== 'admin' || stacks !== '*')
    throw createError(
      'API_FORBIDDEN',
      `the checks need an admin token of all stacks, not role ${role}`,
    )
  return remote
}

/** Returns the URL of the installation's key for secrets. Throws PLATFORM_REGION_MISSING. */
function readKeyUrl(session: CliSession, flags: Flags): string {
  const { installation, region } = readInstallationTarget(session, flags)
  return `awskms://alias/${installation}-secrets?region=${region}`
}

/** Checks webhooks if --webhook-url or AWS has their address. Otherwise the check is skipped. */
async function checkWebhookIfUrlFound(
  session: CliSession,
  flags: Flags,
  deps: Omit<WebhookCheckDeps, 'webhookUrl'>,
): Promise<CheckOutcome> {
  const address = await readWebhookUrl(session, flags).catch((thrown: unknown) => ({
    problem: messageOf(thrown),
  }))
  if (typeof address === 'string')
    return checkWebhook({ ...deps, webhookUrl: address.replace(/\/*$/, '/') })
  const message = `Not checked: the address of webhooks is unknown (${address.problem}). Pass --webhook-url.`
  return { result: 'skipped', message }
}

/** Returns the address of --webhook-url, or reads it from AWS. Throws PLATFORM_*. */
async function readWebhookUrl(session: CliSession, flags: Flags): Promise<string> {
  const webhookUrl = flags.text('webhookUrl')
  if (webhookUrl !== undefined) return webhookUrl
  const target = readInstallationTarget(session, flags)
  const tools = await session.tools.loadPlatform(session.io.stderr)
  const status = await tools.inspect(target, await tools.readAccount(target))
  if (status.webhookUrl !== undefined) return status.webhookUrl
  throw createError(
    'PLATFORM_NOT_FOUND',
    `the installation '${target.installation}' does not exist`,
  )
}

function printReports(session: CliSession, flags: Flags, { reports, remainders }: CheckRun): void {
  if (flags.isSet('json')) session.print(JSON.stringify({ checks: reports, remainders }, null, 2))
  else for (const line of formatReports(reports)) session.print(line)
}

/** Throws PLATFORM_CHECK_FAILED, or DEPLOYMENT_CANCELLED after an interruption. */
function requirePassed({ reports, remainders }: CheckRun, signal: AbortSignal): void {
  const failed = failedChecksOf(reports)
  if (remainders.length > 0)
    throw createError(
      'PLATFORM_CHECK_FAILED',
      `the clean-up is incomplete: ${remainders.join('; ')}`,
      {
        hint: 'Run `antichain cancel --force` and `antichain stack rm --force` for each stack named.',
      },
    )
  if (signal.aborted) throw createError('DEPLOYMENT_CANCELLED', 'the verification was interrupted')
  if (failed.length > 0)
    throw createError('PLATFORM_CHECK_FAILED', `these checks failed: ${failed.join(', ')}`)
}
