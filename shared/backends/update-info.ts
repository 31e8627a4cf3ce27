import * as z from 'zod'
import { createError } from '../errors/error.ts'
import type { HistoryRecord } from '../ports/catalog.ts'
import { formatGoJson } from '../values/go-json.ts'
import { printCompactJson } from '../state/print-envelope.ts'
import type { Json } from '../state/stored.ts'
import { parseJsonObject } from './checkpoint-file.ts'
import { decompress } from './compression.ts'
import { kindsByCommand } from './update-kind.ts'
import { parseForm } from '../values/parse-form.ts'
import { createRecordForm, jsonForm } from '../values/record-form.ts'

/** An entry of a backend's history. Times are in seconds since 1970. */
export interface UpdateInfo {
  /** Pulumi's name of the command. */
  readonly kind: string
  readonly startTime: number
  readonly message: string
  readonly environment: Readonly<Record<string, string>>
  /** `ns:name` → text, `{ secure }` or an object. */
  readonly config: Readonly<Record<string, Json>>
  /** Always 0 in entries of Pulumi's clients. */
  readonly version: number
  readonly result: string
  readonly endTime: number
  readonly resourceChanges?: Readonly<Record<string, number>>
}

/** The last second of JavaScript's dates. The first one has the same number, with a minus. */
const secondsMax = 8_640_000_000_000

/** Seconds since 1970 that are a date of JavaScript. */
const secondsForm = z.int().min(-secondsMax).max(secondsMax)

const updateInfoForm = z.looseObject({
  kind: z.string(),
  startTime: secondsForm,
  message: z.string().default(''),
  environment: createRecordForm(z.string()).nullish(),
  config: createRecordForm(jsonForm).nullish(),
  version: z.number().default(0),
  result: z.string(),
  endTime: secondsForm.default(0),
  resourceChanges: z.record(z.string(), z.number()).nullish(),
})

/** Reads an entry of the history. Throws BACKEND_INVALID. */
export function parseUpdateInfo(bytes: Uint8Array, key: string): UpdateInfo {
  const parsed = parseForm(updateInfoForm, parseJsonObject(decompress(bytes, key), key))
  if (!parsed.success)
    throw createError(
      'BACKEND_INVALID',
      `the object ${key} of the backend is not an entry of a history`,
      {
        hint: 'Move the object out of the backend; the stack itself does not need it.',
      },
    )
  const { environment, config, resourceChanges, ...fields } = parsed.data
  return {
    ...fields,
    environment: environment ?? {},
    config: config ?? {},
    ...(resourceChanges ? { resourceChanges } : {}),
  }
}

/**
 * Prints an entry of the history, as Pulumi's command line does. HTML characters are escaped in the
 * configuration only.
 */
export function printUpdateInfo(info: UpdateInfo): Uint8Array {
  const changes = sortKeys(info.resourceChanges ?? {})
  const fields: readonly (readonly [name: string, json: string])[] = [
    ['kind', printCompactJson(info.kind)],
    ['startTime', String(info.startTime)],
    ['message', printCompactJson(info.message)],
    ['environment', printCompactJson(sortKeys(info.environment))],
    ['config', formatGoJson(info.config)],
    ['version', String(info.version)],
    ['result', printCompactJson(info.result)],
    ['endTime', String(info.endTime)],
    ...(Object.keys(changes).length > 0
      ? [['resourceChanges', printCompactJson(changes)] as const]
      : []),
  ]
  return Buffer.from(`{${fields.map(([name, json]) => `"${name}":${json}`).join(',')}}`)
}

function sortKeys<T extends Json>(fields: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(fields).toSorted(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Returns Pulumi's name of a command. Returns undefined for a command that Pulumi does not record
 * in the history of a self-managed backend.
 */
export function kindOfCommand(command: HistoryRecord['command']): string | undefined {
  return command === 'stack import' || command === 'state' ? undefined : kindsByCommand[command]
}
