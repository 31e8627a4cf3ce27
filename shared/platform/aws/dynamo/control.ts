import type { ControlPort } from '../../../ports/records.ts'
import type { RandomPort } from '../../../ports/system.ts'
import type { Control, Stop } from '../../../records/head.ts'
import type { DeploymentId } from '../../../records/ids.ts'
import type { Holder } from '../../../records/log.ts'
import type { HandOver } from '../../../records/pool.ts'
import { both, isReadable, isThere, type Values } from './expressions.ts'
import { flag, type Item, itemOf, number, text } from './item.ts'
import { journalKeys as keys } from './keys.ts'
import { formatOf, formOf, jsonIn, readableItem } from './stored.ts'
import { getItem, putItem, type Table, updateItem, type Written } from './table.ts'

/** Numbered, so that "only grows" is a comparison. */
const stops: readonly Stop[] = ['none', 'graceful', 'forced']

/** Control records in the journal; a creation carries a token, by which its repetition is known. */
export function createControl(journal: Table, random: Pick<RandomPort, 'uuid'>): ControlPort {
  const change = async (
    deployment: DeploymentId,
    { set, when, values }: { readonly set: string; readonly when: string; readonly values: Values },
  ): Promise<boolean> => {
    const written = await updateItem(journal, {
      key: keys.control(deployment),
      set: `SET ${set}`,
      condition: both(isThere, both(isReadable, when)),
      values: { ...values, ...formatOf('control') },
    })
    return written.isDone || refused(deployment, written)
  }
  return {
    create: async (deployment, holder) => {
      const token = random.uuid()
      const made = { token, stop: 0, closed: false, held: -1, holder: JSON.stringify(holder) }
      const written = await putItem(journal, {
        key: keys.control(deployment),
        item: { ...formOf('control', journal), ...itemOf(made) },
        ifAbsent: true,
      })
      if (written.isDone) return true
      return written.stands !== undefined && text(written.stands, 'token') === token
    },
    read: async deployment => {
      const item = await getItem(journal, keys.control(deployment))
      return item === undefined ? undefined : controlIn(deployment, item)
    },
    stop: async (deployment, stop) => {
      const values = itemOf({ stop: stops.indexOf(stop) })
      await change(deployment, { set: '#stop = :stop', when: '#stop < :stop', values })
    },
    handOver: (deployment, holder, handOver) =>
      change(deployment, {
        set: '#handed = :handed',
        when: '#holder = :holder AND #closed = :no',
        values: itemOf({
          handed: JSON.stringify(handOver),
          holder: JSON.stringify(holder),
          no: false,
        }),
      }),
    hold: async (deployment, holder, at) => {
      const values = itemOf({ holder: JSON.stringify(holder), at })
      const set = '#holder = :holder, #held = :at REMOVE #handed'
      await change(deployment, { set, when: '#held < :at', values })
    },
    close: async deployment => {
      const values = itemOf({ yes: true })
      await change(deployment, { set: '#closed = :yes', when: isThere, values })
    },
  }
}

/** A refused write did nothing, unless nobody may judge what stands. Throws RECORD_TOO_NEW. */
function refused(deployment: DeploymentId, written: Written & { readonly isDone: false }): false {
  if (written.stands !== undefined) readableItem('control', { deployment }, written.stands)
  return false
}

function controlIn(deployment: DeploymentId, item: Item): Control {
  const about = { kind: 'control', keys: { deployment } } as const
  readableItem('control', about.keys, item)
  const handedOver =
    item['handed'] === undefined ? {} : { handedOver: jsonIn(about, item, 'handed', isHandOver) }
  return {
    stop: stops[number(item, 'stop')] ?? 'forced',
    holder: jsonIn(about, item, 'holder', isHolder),
    closed: flag(item, 'closed'),
    ...handedOver,
  }
}

function isHandOver(value: unknown): value is HandOver {
  return typeof value === 'object' && value !== null && 'why' in value && 'pool' in value
}

/** Whether something has the shape of a holder. */
export function isHolder(value: unknown): value is Holder {
  return typeof value === 'object' && value !== null && 'host' in value && 'pid' in value
}
