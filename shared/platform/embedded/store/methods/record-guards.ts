import { DeployError, messageOf } from '../../../../errors/error.ts'
import {
  createDamagedError,
  type RecordLayout,
  recordLayouts,
  type RecordKeys,
  type RecordKind,
  createTooNewError,
} from '../../../records/record-layouts.ts'

const messagePrefix = 'antichain record: '

/**
 * The triggers that refuse to change or remove a damaged record of the kinds below, or a record
 * with a newer format. They are temporary, so they exist on this connection only.
 */
export const guardTriggers: string = (
  ['head', 'control', 'lease', 'stack', 'history', 'snapshot', 'document', 'request'] as const
)
  .flatMap(kind => {
    const { keyFields, jsonFields, format } = recordLayouts[kind] as RecordLayout
    const keyArguments = keyFields.map(key => `'${key}', OLD.${key}`).join(', ')
    const refusal = `SELECT RAISE(ABORT, '${messagePrefix}' ||
      json_object('kind', '${kind}', 'format', OLD.format, 'keys', json_object(${keyArguments})))`
    const damagedConditions = jsonFields.map(column => `NOT json_valid(OLD.${column})`)
    const refusalCondition = [`OLD.format > ${format}`, ...damagedConditions].join(' OR ')
    return (['UPDATE', 'DELETE'] as const).map(
      change => `CREATE TEMP TRIGGER guard_${kind}_${change} BEFORE ${change} ON main.${kind}
        WHEN ${refusalCondition} BEGIN ${refusal}; END;`,
    )
  })
  .join('\n')

/**
 * Converts the error of a guard trigger, or of a head with invalid JSON, to RECORD_DAMAGED or
 * RECORD_TOO_NEW. Returns any other error unchanged.
 */
export function toGuardError(thrown: unknown, args: unknown): unknown {
  if (thrown instanceof DeployError) return thrown
  const message = messageOf(thrown)
  // Only the writing statements of heads read stored JSON, so the damaged record is a head.
  if (message === 'malformed JSON')
    return createDamagedError('head', readRecordKeys(args), 'its text is not valid JSON')
  if (!message.startsWith(messagePrefix)) return thrown
  const { kind, format, keys } = JSON.parse(message.slice(messagePrefix.length)) as {
    kind: RecordKind
    format: number
    keys: RecordKeys
  }
  if (format > recordLayouts[kind].format) return createTooNewError(kind, format, keys)
  return createDamagedError(kind, keys, 'its text is not valid JSON')
}

function readRecordKeys(args: unknown): RecordKeys {
  const { deployment, operation } = args as { deployment?: unknown; operation?: unknown }
  return { deployment: String(deployment), operation: Number(operation) }
}
