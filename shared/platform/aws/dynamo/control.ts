import type { ControlPort } from '../../../ports/records.ts'
import type { RandomPort } from '../../../ports/system.ts'
import type { Control, Stop } from '../../../records/head.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import type { Holder } from '../../../records/log.ts'
import type { HandOver } from '../../../records/pool.ts'
import { andConditions, isReadable, isThere, type Values } from './table/expressions.ts'
import { readFlag, type Item, toItem, readNumber, readText } from './table/item.ts'
import { journalKeys as keys } from './record-keys.ts'
import {
  formatAttributeOf,
  recordAttributesOf,
  parseJsonAttribute,
  requireReadableItem,
} from './record-format.ts'
import { getItem, putItem, type Table, updateItem, type WriteResult } from './table/table.ts'

/** Stop levels in order, so that "only grows" is a numeric comparison. */
const stops: readonly Stop[] = ['none', 'graceful', 'forced']

/**
 * Creates the control records in the journal. A creation carries a token that identifies its
 * repetition.
 */
export function createControl(journalTable: Table, random: Pick<RandomPort, 'uuid'>): ControlPort {
  const updateControl = async (
    deployment: DeploymentId,
    { set, when, values }: { readonly set: string; readonly when: string; readonly values: Values },
  ): Promise<boolean> => {
    const written = await updateItem(journalTable, {
      key: keys.control(deployment),
      set: `SET ${set}`,
      condition: andConditions(isThere, andConditions(isReadable, when)),
      values: { ...values, ...formatAttributeOf('control') },
    })
    return written.isDone || checkRefusal(deployment, written)
  }
  return {
    create: async (deployment, holder) => {
      const token = random.uuid()
      const made = { token, stop: 0, closed: false, held: -1, holder: JSON.stringify(holder) }
      const written = await putItem(journalTable, {
        key: keys.control(deployment),
        item: { ...recordAttributesOf('control', journalTable), ...toItem(made) },
        ifAbsent: true,
      })
      if (written.isDone) return true
      return written.existing !== undefined && readText(written.existing, 'token') === token
    },
    read: async deployment => {
      const item = await getItem(journalTable, keys.control(deployment))
      return item === undefined ? undefined : parseControl(deployment, item)
    },
    stop: async (deployment, stop) => {
      const values = toItem({ stop: stops.indexOf(stop) })
      await updateControl(deployment, { set: '#stop = :stop', when: '#stop < :stop', values })
    },
    handOver: (deployment, holder, handOver) =>
      updateControl(deployment, {
        set: '#handed = :handed',
        when: '#holder = :holder AND #closed = :no',
        values: toItem({
          handed: JSON.stringify(handOver),
          holder: JSON.stringify(holder),
          no: false,
        }),
      }),
    hold: async (deployment, holder, at) => {
      const values = toItem({ holder: JSON.stringify(holder), at })
      const set = '#holder = :holder, #held = :at REMOVE #handed'
      await updateControl(deployment, { set, when: '#held < :at', values })
    },
    close: async deployment => {
      const values = toItem({ yes: true })
      await updateControl(deployment, { set: '#closed = :yes', when: isThere, values })
    },
  }
}

/**
 * Returns false, because a refused write changed nothing. Throws RECORD_TOO_NEW when the existing
 * record has a newer format.
 */
function checkRefusal(
  deployment: DeploymentId,
  written: WriteResult & { readonly isDone: false },
): false {
  if (written.existing !== undefined)
    requireReadableItem('control', { deployment }, written.existing)
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
    stop: stops[readNumber(item, 'stop')] ?? 'forced',
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
