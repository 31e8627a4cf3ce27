import { DeployError, messageOf } from '../../../../errors/error.ts'
import {
  damagedError,
  type RecordForm,
  forms,
  type Keys,
  type RecordKind,
  tooNewError,
} from '../../../records/record-forms.ts'

const mark = 'antichain record: '

/**
 * Triggers of this connection that prevent every statement from overwriting a damaged record or one
 * of a newer version.
 */
export const guards: string = (
  ['head', 'control', 'lease', 'stack', 'history', 'snapshot', 'document', 'request'] as const
)
  .flatMap(kind => {
    const { keys, json, format } = forms[kind] as RecordForm
    const named = keys.map(key => `'${key}', OLD.${key}`).join(', ')
    const refusal = `SELECT RAISE(ABORT, '${mark}' ||
      json_object('kind', '${kind}', 'format', OLD.format, 'keys', json_object(${named})))`
    const isDamaged = json.map(column => `NOT json_valid(OLD.${column})`)
    const isBad = [`OLD.format > ${format}`, ...isDamaged].join(' OR ')
    return (['UPDATE', 'DELETE'] as const).map(
      change => `CREATE TEMP TRIGGER guard_${kind}_${change} BEFORE ${change} ON main.${kind}
        WHEN ${isBad} BEGIN ${refusal}; END;`,
    )
  })
  .join('\n')

/**
 * Converts the error of a guard to an error of the catalogue. Returns any other error unchanged.
 */
export function toGuardError(thrown: unknown, args: unknown): unknown {
  if (thrown instanceof DeployError) return thrown
  const message = messageOf(thrown)
  // Writing statements read only the arrivals of heads as JSON.
  if (message === 'malformed JSON')
    return damagedError('head', readRecordKeys(args), 'its text is not valid JSON')
  if (!message.startsWith(mark)) return thrown
  const { kind, format, keys } = JSON.parse(message.slice(mark.length)) as {
    kind: RecordKind
    format: number
    keys: Keys
  }
  if (format > forms[kind].format) return tooNewError(kind, format, keys)
  return damagedError(kind, keys, 'its text is not valid JSON')
}

function readRecordKeys(args: unknown): Keys {
  const { deployment, operation } = args as { deployment?: unknown; operation?: unknown }
  return { deployment: String(deployment), operation: Number(operation) }
}
