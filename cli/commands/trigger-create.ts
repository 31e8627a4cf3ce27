import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { parse } from 'yaml'
import * as z from 'zod'
import { createError, messageOf } from '../../shared/errors/error.ts'
import type { Handler } from '../arguments/handler.ts'
import type { Flags } from '../arguments/flags.ts'
import { readStackFilters } from '../arguments/stack-filters.ts'
import { warnUnservedBackend } from '../backends/warn-unserved-backend.ts'
import type { CliSession } from '../session/session.ts'
import { type TriggerDocumentKind, resolveTriggerPath } from '../remote/trigger-path.ts'

const secretBytes = 32

/** `webhook create`: creates or updates a webhook. */
export const createWebhook: Handler = async (session, flags, [name = '']) => {
  const credential = session.io.env['ANTICHAIN_CREDENTIAL'] ?? ''
  const apiUrl = flags.text('apiUrl')
  return putTrigger(session, flags, {
    kind: 'webhook',
    name,
    createBody: secret => ({
      form: flags.text('form'),
      rules: readRules(session, flags.text('rules') ?? ''),
      isPaused: flags.isSet('paused'),
      secrets: [secret],
      ...(apiUrl === undefined ? {} : { apiUrl }),
      ...(credential === '' ? {} : { credential }),
    }),
  })
}

/** `schedule create`: creates or updates a schedule of a stack. */
export const createSchedule: Handler = async (session, flags, [name = '']) => {
  const kind = flags.text('operation') ?? 'refresh'
  for (const option of ['remediate', 'record'])
    if (flags.isSet(option) && kind !== 'refresh')
      throw createError('CLI_USAGE', `--${option} requires --operation refresh`)
  if (flags.isSet('remediate') && flags.isSet('record'))
    throw createError('CLI_USAGE', '--remediate and --record cannot be used together')
  if (flags.isSet('removeStack') && kind !== 'destroy')
    throw createError('CLI_USAGE', '--remove-stack requires --operation destroy')
  const jitter = flags.text('jitter') ?? '0'
  if (!/^\d{1,6}$/.test(jitter))
    throw createError('CLI_USAGE', `--jitter takes a number of seconds, not '${jitter}'`)
  const zone = flags.text('zone')
  const refreshFields = {
    remediate: flags.isSet('remediate'),
    ...(flags.isSet('record') ? { record: true } : {}),
  }
  const operation = kind === 'refresh' ? { kind, ...refreshFields } : { kind }
  const sharedFields = readSharedFields(flags, kind)
  const body = {
    when: flags.text('when'),
    operation,
    isPaused: flags.isSet('paused'),
    jitterMs: Number(jitter) * 1000,
    ...(flags.isSet('removeStack') ? { removesStack: true } : {}),
    ...(zone === undefined ? {} : { zone }),
    ...sharedFields,
  }
  const createBody = (): object => body
  return putTrigger(session, flags, { kind: 'schedule', name, createBody, isSigned: false })
}

/** Returns the fields of a shared schedule, or none for a schedule of one stack. */
function readSharedFields(flags: Flags, kind: string): object {
  const projects = flags.list('project')
  const tags = flags.list('tag')
  const skipMinutes = flags.text('skipReadWithin')
  if (!flags.isSet('all')) {
    if (projects.length > 0 || tags.length > 0 || skipMinutes !== undefined)
      throw createError('CLI_USAGE', '--project, --tag and --skip-read-within require --all')
    return {}
  }
  if (kind !== 'refresh' || flags.isSet('record'))
    throw createError(
      'CLI_USAGE',
      '--all only detects drift: it cannot be used with --record or another --operation',
    )
  if (skipMinutes !== undefined && !/^\d{1,5}$/.test(skipMinutes))
    throw createError(
      'CLI_USAGE',
      `--skip-read-within takes a number of minutes, not '${skipMinutes}'`,
    )
  return {
    stacks: readStackFilters(flags),
    ...(skipMinutes === undefined ? {} : { skipReadWithinMs: Number(skipMinutes) * 60_000 }),
  }
}

/** `notification create`: creates or updates a notification. */
export const createNotification: Handler = async (session, flags, [name = '']) =>
  putTrigger(session, flags, {
    kind: 'notification',
    name,
    createBody: secret => ({
      url: flags.text('url'),
      format: flags.text('format') ?? 'signed',
      events: (flags.text('events') ?? '').split(',').map(event => event.trim()),
      isPaused: flags.isSet('paused'),
      secret,
    }),
  })

/** The response to PUT. `created`: whether the trigger or notification is new. */
const putResponseForm = z.looseObject({ created: z.boolean() })

/**
 * Creates or updates a webhook, schedule or notification. If its deliveries are signed, their
 * secret is ANTICHAIN_SECRET, or a new one that is printed once.
 */
async function putTrigger(
  session: CliSession,
  flags: Flags,
  trigger: {
    readonly kind: TriggerDocumentKind
    readonly name: string
    readonly createBody: (secret: string) => object
    /** Whether its deliveries are signed with a secret. Default: true. */
    readonly isSigned?: boolean
  },
): Promise<number> {
  const { kind, name, createBody, isSigned = true } = trigger
  const presetSecret = session.io.env['ANTICHAIN_SECRET'] ?? ''
  const secret = presetSecret === '' ? randomBytes(secretBytes).toString('base64url') : presetSecret
  const path = `${await resolveTriggerPath(session, flags, kind)}/${encodeURIComponent(name)}`
  const { callApi } = await session.openEngine()
  const response = await callApi({ method: 'PUT', path, body: createBody(secret) })
  const { created } = putResponseForm.parse(response)
  session.printToStderr(`${created ? 'Created' : 'Updated'} ${kind} '${name}'.`)
  warnUnservedBackend(session, kind)
  if (!isSigned || presetSecret !== '') return 0
  session.print(secret)
  session.printToStderr('This is the secret that signs its deliveries. It is not shown again.')
  return 0
}

function readRules(session: CliSession, file: string): unknown {
  const path = resolve(session.cwd, file)
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (cause) {
    throw createError('FILE_UNREADABLE', `cannot read ${path}: ${messageOf(cause)}`, { cause })
  }
  const isJson = path.endsWith('.json')
  try {
    return isJson ? JSON.parse(text) : parse(text)
  } catch (cause) {
    const [reason] = messageOf(cause).split('\n')
    throw createError(
      'FILE_UNREADABLE',
      `${path} is not valid ${isJson ? 'JSON' : 'YAML'}: ${reason}`,
      {
        cause,
        hint: 'Correct the file at the position that the error names.',
      },
    )
  }
}
