import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { createError, messageOf } from '../../shared/errors/error.ts'
import type { ProviderCheckRequest } from '../../shared/providers/check/check-request.ts'
import {
  formatJsonReport,
  formatJunitReport,
  formatTextReport,
} from '../../shared/providers/check/format-report.ts'
import { type ProviderReport, countEntries } from '../../shared/providers/check/report.ts'
import { runProviderChecks } from '../../shared/providers/check/run-checks.ts'
import { collectSecretTexts, createRedactor } from '../../shared/values/redact-secrets.ts'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { parseSeconds } from '../arguments/parse-seconds.ts'
import { readCheckConfig } from '../provider-check/read-check-config.ts'
import { locateCheckedProvider } from '../provider-check/locate-checked-provider.ts'
import { withProviderOpener } from '../provider-check/provider-openers.ts'
import { type CliSession, confirm } from '../session/session.ts'

/**
 * `provider check`: checks a provider against the contracts of its protocol. Returns 1 if the
 * provider violates one. Throws CLI_USAGE, CONFIRMATION_DECLINED, FILE_UNWRITABLE, and the errors
 * of a plugin's installation.
 */
export const checkProvider: Handler = async (session, flags, operands) => {
  const locatedProvider = locateCheckedProvider(session.cwd, flags.text('protocol'), operands)
  const config = readCheckConfig(session.cwd, flags.text('config'))
  const callTimeoutMs = parseSeconds('--timeout', flags.text('timeout') ?? '') * 1000
  const variables = parseVariables(flags.list('env'))
  const redact = createRedactor(
    collectSecretTexts(config.provider, ...[...config.types.values()].flat()),
  )
  const isConfirmed = await confirm(session, flags.isSet('yes'), {
    text: `The check creates, changes and deletes real objects with the provider '${locatedProvider.name}'.`,
    answer: 'yes',
  })
  if (!isConfirmed) throw createError('CONFIRMATION_DECLINED', 'the check was not confirmed')
  const report = await withInterrupt(session, isInterrupted =>
    withProviderOpener(session, { locatedProvider, variables, redact }, open => {
      const request: ProviderCheckRequest = {
        name: locatedProvider.name,
        protocol: locatedProvider.protocol,
        open,
        config,
        typeTokens: parseTypes(flags.text('type')),
        label: `check-${randomBytes(4).toString('hex')}`,
        callTimeoutMs,
        isInterrupted,
        nowMs: () => performance.now(),
      }
      return runProviderChecks(request)
    }),
  )
  printReport(session, flags, report)
  return countEntries(report).failed === 0 ? 0 : 1
}

function printReport(session: CliSession, flags: Flags, report: ProviderReport): void {
  if (flags.isSet('json')) session.print(formatJsonReport(report))
  else for (const line of formatTextReport(report)) session.print(line)
  const file = flags.text('junit')
  if (file === undefined) return
  try {
    writeFileSync(resolve(session.cwd, file), formatJunitReport(report))
  } catch (cause) {
    throw createError(
      'FILE_UNWRITABLE',
      `cannot write the report to --junit: ${messageOf(cause)}`,
      {
        cause,
      },
    )
  }
}

/** Runs a check that stops at the first Ctrl-C, and then deletes its objects. */
async function withInterrupt<T>(
  { io, printToStderr }: CliSession,
  check: (isInterrupted: () => boolean) => Promise<T>,
): Promise<T> {
  let isInterrupted = false
  const stopListening = io.onInterrupt(() => {
    if (!isInterrupted) printToStderr('Interrupted. The objects of the check are being deleted.')
    isInterrupted = true
  })
  try {
    return await check(() => isInterrupted)
  } finally {
    stopListening()
  }
}

function parseTypes(text: string | undefined): readonly string[] {
  return (text ?? '').split(',').flatMap(token => (token.trim() === '' ? [] : [token.trim()]))
}

function parseVariables(texts: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(
    texts.map(text => {
      const [, name, value] = /^([^=]+)=([^]*)$/.exec(text) ?? []
      if (name === undefined || value === undefined)
        throw createError('CLI_USAGE', `--env takes NAME=VALUE, not '${text}'`)
      return [name, value] as const
    }),
  )
}
