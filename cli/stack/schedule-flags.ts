import { createError } from '../../shared/errors/error.ts'
import type { Schedule } from '../../shared/triggers/schedules/due-schedule.ts'
import {
  scheduleOperationOf,
  type ScheduleKind,
  timesOfRequest,
} from '../../shared/triggers/schedules/pulumi-schedule.ts'
import type { Flags } from '../arguments/flags.ts'
import type { CliSession } from '../session/session.ts'

/** The settings of a schedule that the options of Pulumi's commands define. */
type ScheduleSettings = Pick<Schedule, 'when' | 'zone' | 'operation' | 'removesStack'>

const rawOperations = ['update', 'preview', 'refresh', 'destroy'] as const

/** The kinds of schedules, with the options that each accepts and requires. */
const kinds: Readonly<
  Record<ScheduleKind, { readonly accepted: readonly string[]; readonly required: string }>
> = {
  raw: { accepted: ['cron', 'once', 'operation'], required: 'operation' },
  drift: { accepted: ['cron', 'autoRemediate'], required: 'cron' },
  ttl: { accepted: ['once', 'deleteAfterDestroy'], required: 'once' },
}

const optionNames = ['cron', 'once', 'operation', 'autoRemediate', 'deleteAfterDestroy'] as const

/** The options of a schedule, by name. A switch has the text `true` or `false`. */
type ScheduleOptions = { [Name in (typeof optionNames)[number]]?: string | undefined }

/**
 * Returns the settings of a new schedule. Asks for missing values in a terminal, unless --yes is
 * set. Throws CLI_USAGE, API_INPUT_INVALID for a malformed time, and SCHEDULE_INVALID.
 */
export async function readScheduleRequest(
  session: CliSession,
  flags: Flags,
): Promise<ScheduleSettings> {
  const ask = async (question: string): Promise<string | undefined> => {
    if (!session.mayPrompt || flags.isSet('yes')) return undefined
    const answer = (await session.io.prompt(question)).trim()
    return answer === '' ? undefined : answer
  }
  const kind = readKind(
    flags.text('kind') ?? (await ask('Kind of the schedule (raw, drift, ttl):')),
  )
  const { required } = kinds[kind]
  const options: ScheduleOptions = readOptions(flags)
  if (kind === 'raw') options.operation ??= await ask(`Operation (${rawOperations.join(', ')}):`)
  if (kind === 'ttl') options.once ??= await ask('Time, such as 2027-01-31T04:00:00Z:')
  else if (options.once === undefined) options.cron ??= await ask('Five cron fields, in UTC:')
  refuseOptions(kind, options)
  if (kind === 'raw' && options.cron === undefined && options.once === undefined)
    throw createError('CLI_USAGE', 'one of --cron and --once is required for --kind raw')
  if (options[required as keyof ScheduleOptions] === undefined)
    throw createError('CLI_USAGE', `--${required} is required for --kind ${kind}`)
  const operation = readOperation(kind, options, undefined)
  return { operation, ...timesOf(options, undefined), ...removalOf(options) }
}

/**
 * Returns the settings that replace those of `previous`, a schedule of the kind `kind`. Throws
 * CLI_USAGE, API_INPUT_INVALID and SCHEDULE_INVALID.
 */
export function readScheduleChange(
  flags: Flags,
  kind: ScheduleKind,
  previous: Schedule,
): Partial<ScheduleSettings> {
  const options = readOptions(flags)
  if (Object.keys(options).length === 0)
    throw createError(
      'CLI_USAGE',
      `pass at least one of ${optionNames.map(name => formatOption(name)).join(', ')}`,
    )
  refuseOptions(kind, options)
  const hasTime = options.cron !== undefined || options.once !== undefined
  const operation = readOperation(kind, options, previous)
  return {
    operation,
    ...(hasTime ? timesOf(options, previous) : {}),
    ...removalOf(options),
  }
}

function readKind(text: string | undefined): ScheduleKind {
  const kind = (text ?? '').trim().toLowerCase()
  if (Object.hasOwn(kinds, kind)) return kind as ScheduleKind
  if (text === undefined) throw createError('CLI_USAGE', '--kind is required')
  throw createError('CLI_USAGE', `--kind must be raw, drift or ttl, not '${text}'`)
}

function readOptions(flags: Flags): ScheduleOptions {
  const entries = optionNames.map(name => [name, flags.text(name)] as const)
  return Object.fromEntries(entries.filter(([, text]) => text !== undefined))
}

/** Throws CLI_USAGE for options of another kind, and for those that exclude each other. */
function refuseOptions(kind: ScheduleKind, options: ScheduleOptions): void {
  if (options.cron !== undefined && options.once !== undefined)
    throw createError('CLI_USAGE', '--cron and --once cannot be used together')
  const { accepted } = kinds[kind]
  const refusedName = optionNames.find(
    name => options[name] !== undefined && !accepted.includes(name),
  )
  if (refusedName !== undefined)
    throw createError(
      'CLI_USAGE',
      `${formatOption(refusedName)} is not valid for schedules of the kind ${kind}`,
    )
}

/** Returns the field `removesStack`, or no field without the option --delete-after-destroy. */
function removalOf({ deleteAfterDestroy }: ScheduleOptions): Pick<Schedule, 'removesStack'> {
  return deleteAfterDestroy === undefined ? {} : { removesStack: deleteAfterDestroy === 'true' }
}

function formatOption(name: string): string {
  return `--${name.replace(/[A-Z]/g, letter => `-${letter.toLowerCase()}`)}`
}

function timesOf(
  { cron, once }: ScheduleOptions,
  previous: Schedule | undefined,
): Pick<Schedule, 'when' | 'zone'> {
  return timesOfRequest({ scheduleCron: cron, scheduleOnce: once }, previous)
}

function readOperation(
  kind: ScheduleKind,
  { operation, autoRemediate }: ScheduleOptions,
  previous: Schedule | undefined,
): Schedule['operation'] {
  if (kind === 'ttl') return { kind: 'destroy' }
  if (kind === 'raw') {
    if (operation === undefined && previous !== undefined) return previous.operation
    const name = rawOperations.find(known => known === operation?.toLowerCase())
    if (name !== undefined) return scheduleOperationOf(name, false)
    throw createError(
      'CLI_USAGE',
      `--operation must be update, preview, refresh or destroy, not '${operation ?? ''}'`,
    )
  }
  if (autoRemediate === undefined && previous !== undefined) return previous.operation
  return scheduleOperationOf('detect-drift', autoRemediate === 'true')
}
