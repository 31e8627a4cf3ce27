import type { ControlPort } from '../../../ports/records.ts'
import type { RandomPort } from '../../../ports/system.ts'
import type { Control, StopFlag } from '../../../records/head.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import type { Holder } from '../../../records/log.ts'
import type { HandOver } from '../../../records/pool.ts'
import {
  joinConditions,
  readableCondition,
  existsCondition,
  type PlaceholderValues,
} from './table/expressions.ts'
import { readFlag, type Item, toItem, readNumber, readText } from './table/item.ts'
import { journalKeys as keys } from './record-keys.ts'
import {
  formatAttributeOf,
  recordAttributesOf,
  parseJsonAttribute,
  requireReadableItem,
} from './record-format.ts'
import { getItem, putItem, type Table, updateItem, type WriteResult } from './table/table.ts'

/** The stop flags in ascending order. A flag is stored as its index, which conditions compare. */
const stopLevels: readonly StopFlag[] = ['none', 'graceful', 'forced']

/**
 * Creates the port for control records in the journal. A creation writes a token that identifies a
 * repetition of the same call.
 */
export function createControl(journalTable: Table, random: Pick<RandomPort, 'uuid'>): ControlPort {
  const updateControl = async (
    deployment: DeploymentId,
    {
      assignments,
      extraCondition,
      values,
    }: {
      readonly assignments: string
      readonly extraCondition: string
      readonly values: PlaceholderValues
    },
  ): Promise<boolean> => {
    const writeResult = await updateItem(journalTable, {
      key: keys.control(deployment),
      updateExpression: `SET ${assignments}`,
      condition: joinConditions(existsCondition, joinConditions(readableCondition, extraCondition)),
      values: { ...values, ...formatAttributeOf('control') },
    })
    return writeResult.isDone || confirmRefusal(deployment, writeResult)
  }
  return {
    create: async (deployment, holder) => {
      const token = random.uuid()
      // `held`: the number of the take-over record whose holder is stored. -1: no take-over yet.
      const values = { token, stop: 0, closed: false, held: -1, holder: JSON.stringify(holder) }
      const writeResult = await putItem(journalTable, {
        key: keys.control(deployment),
        item: { ...recordAttributesOf('control', journalTable), ...toItem(values) },
        ifAbsent: true,
      })
      if (writeResult.isDone) return true
      return writeResult.existing !== undefined && readText(writeResult.existing, 'token') === token
    },
    read: async deployment => {
      const item = await getItem(journalTable, keys.control(deployment))
      return item === undefined ? undefined : parseControl(deployment, item)
    },
    stop: async (deployment, stop) => {
      const values = toItem({ stop: stopLevels.indexOf(stop) })
      await updateControl(deployment, {
        assignments: '#stop = :stop',
        extraCondition: '#stop < :stop',
        values,
      })
    },
    handOver: (deployment, holder, handOver) =>
      updateControl(deployment, {
        assignments: '#handed = :handed',
        extraCondition: '#holder = :holder AND #closed = :no',
        values: toItem({
          handed: JSON.stringify(handOver),
          holder: JSON.stringify(holder),
          no: false,
        }),
      }),
    hold: async (deployment, holder, takeoverNumber) => {
      const values = toItem({ holder: JSON.stringify(holder), at: takeoverNumber })
      const assignments = '#holder = :holder, #held = :at REMOVE #handed'
      await updateControl(deployment, { assignments, extraCondition: '#held < :at', values })
    },
    close: async deployment => {
      const values = toItem({ yes: true })
      const assignments = '#closed = :yes'
      await updateControl(deployment, { assignments, extraCondition: existsCondition, values })
    },
  }
}

/**
 * Returns false for a refused write, which changed nothing. Throws RECORD_TOO_NEW when the existing
 * record has a newer format.
 */
function confirmRefusal(
  deployment: DeploymentId,
  writeResult: WriteResult & { readonly isDone: false },
): false {
  if (writeResult.existing !== undefined)
    requireReadableItem('control', { deployment }, writeResult.existing)
  return false
}

function parseControl(deployment: DeploymentId, item: Item): Control {
  const record = { kind: 'control', keys: { deployment } } as const
  requireReadableItem('control', record.keys, item)
  const handedOver =
    item['handed'] === undefined
      ? {}
      : { handedOver: parseJsonAttribute(record, item, 'handed', isHandOver) }
  return {
    stop: stopLevels[readNumber(item, 'stop')] ?? 'forced',
    holder: parseJsonAttribute(record, item, 'holder', isHolder),
    closed: readFlag(item, 'closed'),
    ...handedOver,
  }
}

function isHandOver(value: unknown): value is HandOver {
  return typeof value === 'object' && value !== null && 'why' in value && 'pool' in value
}

/** Reports whether a value has the shape of a holder. */
export function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null && 'host' in value && 'pid' in value
}
